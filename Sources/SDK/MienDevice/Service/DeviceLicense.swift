internal import Foundation
public import MienCore
internal import MienKeys
internal import MienVault

/// A policy that requires a license on each device. Without it every device is licensed.
public struct LicensePolicy: Sendable {
    public let product: String
    let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - product: 1...64 characters of a-z, 0-9, `.`, and `-`.
    ///   - now: Returns the current time.
    public init(product: String, now: @escaping @Sendable () -> Instant) {
        (self.product, self.now) = (product, now)
    }
}

extension SealPurpose {
    /// A device's license.
    static let license = SealPurpose(label: "mien/v1/licence")
}

/// A stored license and the key to verify it. They are sealed under the key file, so neither can be
/// replaced.
struct LicenseFile: Sendable {
    /// The file does not count as a record that needs the key file; a license can be fetched again
    /// without it.
    static let name = "device.licence"
    static let sizeLimit = 16 << 10
    private static let identity = Array("licence".utf8)

    /// The stored latest time may lag by this much, so that it is not written more often.
    private static let timeStep = Duration.seconds(3600)

    private struct Record: Codable {
        var version = 1
        let license: String
        let key: JSONValue
        /// The latest time that the clock showed when the license was checked.
        var latestSeen: Instant

        private enum CodingKeys: String, CodingKey {
            case version, license = "licence", key, latestSeen
        }
    }

    /// The stored license and key.
    struct Kept: Sendable {
        let text: String
        let key: DevicePublicKey
        let latestSeen: Instant
    }

    let folder: String
    let keyStore: any DeviceKeyStore
    let files: any FileSystem
    let random: RandomSource

    /// - Parameter now: The current time. It is stored as the latest time seen if it is later by an
    ///   hour or more.
    func read(at now: Instant) throws -> Kept? {
        try withLock { sealer in
            guard let found = try files.read(path, atMost: Self.sizeLimit) else { return nil }
            guard found.isRegular, found.size <= Self.sizeLimit,
                let content = try? sealer.open(found.bytes, identity: Self.identity),
                var record = try? JSONDecoder().decode(Record.self, from: Data(content)),
                record.version == 1,
                let key = try? DevicePublicKey(jwk: record.key)
            else {
                throw FaceAuthError(
                    .storage,
                    "\(path) does not contain a license of this device. Configure one again."
                )
            }
            if now >= record.latestSeen + Self.timeStep {
                record.latestSeen = now
                try write(record, sealer)
            }
            return Kept(text: record.license, key: key, latestSeen: record.latestSeen)
        }
    }

    /// - Parameter now: The latest time seen from now on, even if the clock was ahead before,
    ///   because the server has just dated the license.
    func write(_ text: String, _ key: DevicePublicKey, at now: Instant) throws {
        try withLock { try write(Record(license: text, key: key.jwk, latestSeen: now), $0) }
    }

    private func write(_ record: Record, _ sealer: RecordSealer) throws {
        let content = Array(try JSONEncoder().encode(record))
        try files.replaceFile(
            path, with: sealer.seal(content, identity: Self.identity), random: random)
    }

    private var path: String { "\(folder)/\(Self.name)" }

    private func withLock<T>(_ body: (RecordSealer) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyStore: keyStore, files: files, random: random)
            defer { vault.lock.release() }
            return try body(RecordSealer(key: vault.key, purpose: .license, random: random))
        } catch let error as DeviceError { throw FaceAuthError(.storage, error.reason) } catch let
            error as FileSystemError
        {
            throw FaceAuthError(.storage, "\(error)")
        }
    }
}
