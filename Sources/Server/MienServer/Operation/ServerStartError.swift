/// The server cannot begin to serve: what is wrong, where, what to do.
public struct ServerStartError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The certificate or its key.
        case tls = "server.tls"
        /// The database.
        case store = "server.store"
        /// The address or the port.
        case listen = "server.listen"
        /// Another server uses the data folder.
        case inUse = "server.in-use"
    }
    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}
