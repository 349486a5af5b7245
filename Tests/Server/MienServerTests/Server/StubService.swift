import Foundation
import Synchronization

/// A service on this machine that answers each request by its path: `/status/N`, `/redirect` to
/// another address, `/hang`, or `/ok`.
final class StubService: Sendable {
    static let secret = "the body of an inner service"

    let port: Int
    private let socket: Int32
    private let redirect: String
    private let seen = Mutex<[String]>([])

    /// The requests so far: head and body.
    var requests: [String] { seen.withLock { $0 } }

    func url(_ path: String) -> String { "http://localhost:\(port)/\(path)" }

    /// - Parameter redirect: The address to which `/redirect` leads.
    init(redirect: String = "") throws {
        self.redirect = redirect
        let listener = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw CocoaError(.featureUnsupported) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.featureUnsupported) }
        socket = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let self else { break }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        guard let request = Self.read(client) else { return }
        seen.withLock { $0.append(request) }
        let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let words = path.split(separator: "/").map(String.init)
        switch words.first {
        case "hang":
            // Until the caller gives up.
            var byte: UInt8 = 0
            _ = recv(client, &byte, 1, 0)
        case "redirect": Self.answer(client, 302, "location: \(redirect)\r\n")
        case "status": Self.answer(client, words.last.flatMap { Int($0) } ?? 500)
        default: Self.answer(client, 200)
        }
    }

    private static func answer(_ client: Int32, _ status: Int, _ fields: String = "") {
        let text =
            "HTTP/1.1 \(status) Status\r\n\(fields)content-length: \(secret.utf8.count)\r\nconnection: close\r\n\r\n\(secret)"
        _ = text.utf8.withContiguousStorageIfAvailable {
            send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Reads a request with its body.
    private static func read(_ client: Int32) -> String? {
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length =
                    text.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap {
                        Int($0.1)
                    } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            let count = recv(client, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part[..<count]
        }
    }
}
