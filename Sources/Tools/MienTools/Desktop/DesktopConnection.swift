internal import CMienSystem
internal import MienCore

/// One connection of `pam_mien`. Nothing here waits: what cannot be sent at once is not sent.
struct DesktopConnection: Sendable {
    /// The time to send the request.
    private static let patience = Duration.seconds(2)

    let socket: Int32
    /// The user of the process that connected.
    let peer: UInt32

    /// Reads the request's line; `nil` if there is none in time.
    func line() async -> [UInt8]? {
        let end = ContinuousClock.now + Self.patience
        var line: [UInt8] = [], buffer = [UInt8](repeating: 0, count: DesktopRequest.maxBytes + 1)
        while ContinuousClock.now < end, line.count <= DesktopRequest.maxBytes {
            let got = unsafe buffer.withUnsafeMutableBytes {
                unsafe mien_socket_read(socket, $0.baseAddress, $0.count)
            }
            switch got {
            case 1...:
                line += buffer.prefix(got)
                if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return Array(line[..<end]) }
            case -1: try? await Task.sleep(for: .milliseconds(5))
            default: return nil
            }
        }
        return nil
    }

    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        unsafe bytes.withUnsafeBytes {
            _ = unsafe mien_socket_write(socket, $0.baseAddress, $0.count)
        }
    }

    var isOpen: Bool { mien_socket_is_open(socket) == 1 }

    func close() { mien_socket_close(socket) }

    /// Whether the process may ask about a person: it belongs to them, or to root.
    func mayAsk(about user: String, _ verb: DesktopRequest.Verb) -> Bool {
        if peer == 0 { return true }
        guard verb != .authenticated else { return false }
        var id: UInt32 = 0
        return unsafe mien_user_id(user, &id) == 0 && id == peer
    }
}
