internal import Foundation
internal import Logging
internal import MienAttestation

/// The operator's copy of Google's list of attestation keys that leaked, read anew when the file
/// changes.
actor StatusListFile {
    /// What tells a file from the one that was read.
    private struct Stamp: Equatable {
        let modified: Date?
        let bytes, number: UInt64?
    }

    private let path: String
    private let logger: Logger
    private var stamp: Stamp?
    private var list: AndroidStatusList

    /// - Throws: ``ConfigurationError`` when the file is no such list.
    init(path: String, logger: Logger) throws {
        (self.path, self.logger, stamp) = (path, logger, Self.stamp(path))
        do { list = try Self.read(path) } catch {
            throw ConfigurationError(["attestation.revoked: \(path) \(error.reason)"])
        }
    }

    /// The newest that could be read: a copy that is broken or gone takes nobody's name off the
    /// list.
    func current() -> AndroidStatusList {
        let now = Self.stamp(path)
        guard now != stamp else { return list }
        stamp = now
        do { list = try Self.read(path) } catch {
            logger.error(
                "attestation.revoked is not as it should be; the list from before is used",
                metadata: ["reason": "\(error.reason)"])
        }
        return list
    }

    private struct Unreadable: Error { let reason: String }

    private static func stamp(_ path: String) -> Stamp {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return Stamp(
            modified: attributes?[.modificationDate] as? Date,
            bytes: (attributes?[.size] as? NSNumber)?.uint64Value,
            number: (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value)
    }

    private static func read(_ path: String) throws(Unreadable) -> AndroidStatusList {
        let bytes: [UInt8]
        do { bytes = [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
            throw Unreadable(reason: "cannot be read; check the path and its permissions")
        }
        do { return try AndroidStatusList(json: bytes) } catch {
            throw Unreadable(
                reason:
                    "is no copy of Google's status list, {\"entries\": {serial number: {\"status\": …}}}: \(error.reason)"
            )
        }
    }
}
