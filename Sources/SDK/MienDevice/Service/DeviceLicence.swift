#if canImport(MienTPM)
internal import Foundation
public import MienCore
internal import MienKeys
internal import MienVault

/// That a device needs a licence to be used. Without this policy every device is licensed.
public struct LicencePolicy: Sendable {
    public let product: String
    let now: @Sendable () -> Instant

    /// - Parameters:
    ///   - product: 1...64 of a-z, 0-9, `.` and `-`.
    ///   - now: the time.
    public init(product: String, now: @escaping @Sendable () -> Instant) {
        (self.product, self.now) = (product, now)
    }
}

extension SealPurpose {
    /// A device's licence.
    static let licence = SealPurpose(label: "mien/v1/licence")
}

/// A licence at rest, with the key to check it: sealed under the key file, so that neither can be
/// put in another's place.
struct LicenceFile: Sendable {
    /// No sealed record that the key file has to open: without it a licence is fetched anew.
    static let name = "device.licence"
    static let sizeLimit = 16 << 10
    private static let identity = Array("licence".utf8)

    /// How far the latest time seen may lag behind: it is written down no oftener.
    private static let timeStep = Duration.seconds(3600)

    private struct Record: Codable {
        var version = 1
        let licence: String
        let key: JSONValue
        /// That the clock showed when the licence was looked at; missing in files of before.
        var latestSeen: Instant?
    }

    /// What is kept.
    struct Kept: Sendable {
        let text: String
        let key: DevicePublicKey
        let latestSeen: Instant?
    }

    let folder: String
    let keyPath: String
    let files: any FileSystem
    let random: RandomSource

    /// - Parameter now: kept as the latest time seen when it is later, by an hour or more.
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
                    .storage, "\(path) does not hold a licence of this device's: configure one anew"
                )
            }
            if record.latestSeen.map({ now >= $0 + Self.timeStep }) ?? true {
                record.latestSeen = now
                try write(record, sealer)
            }
            return Kept(text: record.licence, key: key, latestSeen: record.latestSeen)
        }
    }

    /// - Parameter now: the latest time seen from now on, also when the clock stood ahead before:
    ///   the server has just dated the licence.
    func write(_ text: String, _ key: DevicePublicKey, at now: Instant) throws {
        try withLock { try write(Record(licence: text, key: key.jwk, latestSeen: now), $0) }
    }

    private func write(_ record: Record, _ sealer: RecordSealer) throws {
        let content = Array(try JSONEncoder().encode(record))
        try files.replaceFile(
            path, with: sealer.seal(content, identity: Self.identity),
            by: "\(folder)/.\(hexadecimal(random.bytes(8)))\(temporarySuffix)")
    }

    private var path: String { "\(folder)/\(Self.name)" }

    private func withLock<T>(_ body: (RecordSealer) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyPath: keyPath, files: files, random: random)
            defer { vault.lock.release() }
            return try body(RecordSealer(key: vault.key, purpose: .licence, random: random))
        } catch let error as DeviceError { throw FaceAuthError(.storage, error.reason) } catch let
            error as FileSystemError
        {
            throw FaceAuthError(.storage, "\(error)")
        }
    }
}
#endif
