/// A failure to start the server. The description says what is wrong, where, and how to fix it.
public struct ServerStartError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The certificate or its key.
        case tls = "server.tls"
        /// The data folder.
        case folder = "server.folder"
        /// The master key does not belong to the database, or is missing.
        case key = "server.master-key"
        /// The database.
        case store = "server.store"
        /// The model pack of people's faces.
        case faces = "server.faces"
        /// The address or the port.
        case listen = "server.listen"
        /// Another server is using the data folder.
        case inUse = "server.in-use"
    }
    public let code: Code
    public let description: String

    package init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}
