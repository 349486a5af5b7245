public import MienCore

/// Keeps device tokens in a file that only its owner may read (0600). Each change replaces the
/// whole file, so it is never half written.
///
/// Use it for command lines and servers. On Apple's systems, the default is the keychain
/// (``StandardStorage``).
public actor FileDeviceTokens: DeviceTokenStorage {
    private struct Entry: Codable {
        let server: String
        let application: String
        var token: String
    }

    private let file: PrivateFile<[Entry]>

    /// - Parameter path: The file's path. The file is created with the first device token; its
    ///   folder must exist.
    public init(path: String) { file = PrivateFile(path: path) }

    public func token(for key: DeviceTokenKey) throws -> Sensitive<String>? {
        try entries().first { $0.server == key.server && $0.application == key.application }.map {
            Sensitive($0.token)
        }
    }

    public func store(_ token: Sensitive<String>, for key: DeviceTokenKey) throws {
        var entries = try entries().filter {
            $0.server != key.server || $0.application != key.application
        }
        entries.append(
            Entry(server: key.server, application: key.application, token: token.use { $0 }))
        try file.write(entries)
    }

    public func remove(_ key: DeviceTokenKey) throws {
        let entries = try entries(),
            left = entries.filter { $0.server != key.server || $0.application != key.application }
        if left.count != entries.count { try file.write(left) }
    }

    private func entries() throws -> [Entry] { try file.read() ?? [] }
}
