import Foundation
import MienServer
import MienTools

/// The server whose settings are in the environment of a command, as for `mien serve`.
enum LocalServer {
    /// The address of its admin API; `nil` if the environment does not say where it listens.
    ///
    /// - Throws: ``Failure`` if the variable does not say which port it is.
    static func adminAddress(_ environment: [String: String]) throws -> String? {
        guard let text = environment["MIEN_ADMIN_LISTEN"] else { return nil }
        guard let listen = ListenAddress(text), listen.port != 0 else {
            throw Failure(
                .badInput, "server.address",
                "MIEN_ADMIN_LISTEN must be a host and a port other than 0, like 127.0.0.1:8081; or name the server with --server or MIEN_ADMIN_SERVER"
            )
        }
        // Elsewhere than on the machine itself, the server requires TLS, and its certificate names
        // the host of one of the URLs.
        guard !listen.isLoopback else { return "http://\(listen)" }
        if let url = environment["MIEN_ADMIN_URL"] { return url }
        let host = environment["MIEN_PUBLIC_URL"].flatMap { URLComponents(string: $0)?.host }
        return "https://\(ListenAddress(host: host ?? listen.host, port: listen.port))"
    }

    /// The address at which clients reach it; `nil` if the environment does not say.
    static func publicAddress(_ environment: [String: String]) throws -> String? {
        if let url = environment["MIEN_PUBLIC_URL"] { return url }
        guard environment["MIEN_HOST"] != nil || environment["MIEN_PORT"] != nil else { return nil }
        guard let port = Int(environment["MIEN_PORT"] ?? "8080"), (1...65_535).contains(port) else {
            throw Failure(
                .badInput, "server.address",
                "MIEN_PORT must be a port from 1 to 65535; or name the server with --server or MIEN_SERVER"
            )
        }
        let scheme = environment["MIEN_TLS_KEY"] == nil ? "http" : "https"
        let listen = ListenAddress(host: environment["MIEN_HOST"] ?? "127.0.0.1", port: port)
        return "\(scheme)://\(listen)"
    }
}
