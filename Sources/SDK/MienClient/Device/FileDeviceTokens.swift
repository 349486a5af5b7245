public import MienCore

/// In a file that its owner alone may read (0600). It is replaced whole, so it is never half
/// written.
///
/// For command lines and servers; on phones the keychain is the place, through a
/// ``DeviceTokenStorage`` of the app's own.
public actor FileDeviceTokens: DeviceTokenStorage {
    private struct Entry: Codable {
        let server: String
        let application: String
        var token: String
    }

    private let file: PrivateFile<[Entry]>

    /// - Parameter path: of the file; made when there is a token to keep. Its folder exists.
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
