internal import Foundation
internal import Logging
internal import MienAttestation

/// The operator's copy of Google's list of leaked attestation keys, reloaded when the file changes.
actor StatusListFile {
    /// Attributes that differ if the file has changed since it was read.
    private struct Stamp: Equatable {
        let modified: Date?
        let bytes, number: UInt64?
    }

    private let path: String
    private let logger: Logger
    private var stamp: Stamp?
    private var list: AndroidStatusList

    /// - Throws: ``ConfigurationError`` if the file is not such a list.
    init(path: String, logger: Logger) throws {
        (self.path, self.logger, stamp) = (path, logger, Self.stamp(path))
        do { list = try Self.read(path) } catch {
            throw ConfigurationError(["attestation.revoked: \(path) \(error.reason)"])
        }
    }

    /// Returns the newest list that could be read. A broken or missing file removes no keys from
    /// the list.
    func current() -> AndroidStatusList {
        let now = Self.stamp(path)
        guard now != stamp else { return list }
        stamp = now
        do { list = try Self.read(path) } catch {
            logger.error(
                "attestation.revoked cannot be read; the previous list stays in use",
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
                    "is not a copy of Google's status list, {\"entries\": {serial number: {\"status\": …}}}: \(error.reason)"
            )
        }
    }
}
