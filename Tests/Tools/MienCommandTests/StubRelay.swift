import Foundation

/// A mail relay on this machine. It accepts mail for everybody but `taken@example.org`.
final class StubRelay: Sendable {
    let port: Int
    private let socket: Int32

    init() throws {
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
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { Self.serve(client) }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    private static func serve(_ client: Int32) {
        defer { close(client) }
        func say(_ text: String) {
            let bytes = Array("\(text)\r\n".utf8)
            _ = bytes.withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }
        say("220 relay.example.org")
        var line: [UInt8] = [], isMail = false, byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1 {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
            line = []
            guard !isMail else {
                if text == "." {
                    isMail = false
                    say("250 queued")
                }
                continue
            }
            switch text.prefix(4).uppercased() {
            case "DATA":
                isMail = true
                say("354 End the mail with a dot")
            case "RCPT" where text.contains("taken@"): say("550 no such mailbox")
            case "QUIT": return say("221 bye")
            default: say("250 OK")
            }
        }
    }
}
