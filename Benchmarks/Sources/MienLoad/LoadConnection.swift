internal import Foundation

/// One HTTP/1.1 connection to this machine. It blocks, and does as little work as possible, because
/// it shares the processor with the server that it measures.
///
///     let connection = try LoadConnection(port: 8080)
///     let answer = try connection.post("/v1/journeys/face-login/start", json: #"{"client_id": "default_application"}"#)
///
/// One thread at a time.
public final class LoadConnection {
    public struct Answer {
        public let status: Int
        public let head: String
        public let body: [UInt8]

        /// Finds a string member without escapes by searching for its name, because a parser would
        /// take longer than the server.
        ///
        /// - Parameter start: the start of the value, to distinguish members with the same name.
        public func text(_ name: String, startingWith start: String = "") -> String? {
            let mark = Array("\"\(name)\":\"".utf8), begin = Array(start.utf8)
            var index = 0
            while index + mark.count <= body.count {
                if body[index] == mark[0], body[index..<(index + mark.count)].elementsEqual(mark),
                    body[(index + mark.count)...].starts(with: begin)
                {
                    let value = body[(index + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }
                    return String(decoding: value, as: UTF8.self)
                }
                index += 1
            }
            return nil
        }

        public var bodyText: String { String(decoding: body, as: UTF8.self) }
    }

    private let socketNumber: Int32
    private var received: [UInt8] = []

    /// - Parameter timeoutSeconds: the maximum time without data from the server.
    /// - Throws: ``LoadError`` when no server listens at 127.0.0.1:`port`.
    public init(port: Int, timeoutSeconds: Int = 60) throws(LoadError) {
        socketNumber = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socketNumber >= 0 else { throw LoadError("no socket: \(Self.lastError)") }
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        _ = unsafe setsockopt(
            socketNumber, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        _ = unsafe setsockopt(
            socketNumber, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socketNumber, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let reason = Self.lastError
            close(socketNumber)
            throw LoadError("cannot connect to port \(port): \(reason)")
        }
    }

    deinit { close(socketNumber) }

    public func post(_ path: String, json: String, bearer: String? = nil) throws(LoadError)
        -> Answer
    {
        try request("POST", path, type: "application/json", body: Array(json.utf8), bearer: bearer)
    }

    public func request(
        _ method: String, _ path: String, type: String? = nil, body: [UInt8] = [],
        bearer: String? = nil
    ) throws(LoadError) -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        if let type { head += "content-type: \(type)\r\n" }
        if let bearer { head += "authorization: Bearer \(bearer)\r\n" }
        if !body.isEmpty || method != "GET" { head += "content-length: \(body.count)\r\n" }
        try send(Array((head + "\r\n").utf8) + body)
        return try answer()
    }

    /// Sends bytes unchanged, for malformed requests.
    public func send(_ bytes: [UInt8]) throws(LoadError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.send(
                    socketNumber, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                throw LoadError("the server accepted no more data: \(Self.lastError)")
            }
            sent += count
        }
    }

    /// Waits for the next response.
    ///
    /// - Throws: ``LoadError`` when the server closes the connection or is silent for too long.
    public func answer() throws(LoadError) -> Answer {
        while true {
            if let end = endOfHead {
                let head = String(decoding: received[..<end], as: UTF8.self)
                let fields = head.split(separator: "\r\n")
                guard
                    let status = fields.first?.split(separator: " ").dropFirst().first.flatMap({
                        Int($0)
                    })
                else {
                    throw LoadError("the response is not HTTP: \(fields.first ?? "")")
                }
                let length =
                    fields.lazy.filter { $0.lowercased().hasPrefix("content-length:") }.first
                    .flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) } ?? 0
                while received.count < end + 4 + length {
                    guard try receive() else { throw LoadError("the response was truncated") }
                }
                let body = Array(received[(end + 4)..<(end + 4 + length)])
                received.removeFirst(end + 4 + length)
                return Answer(status: status, head: head, body: body)
            }
            guard try receive() else { throw LoadError("the server closed the connection") }
        }
    }

    /// Waits until the server closes the connection, and discards data that arrives before.
    ///
    /// - Throws: ``LoadError`` when the server does not close it within the connection's timeout.
    public func waitForClose() throws(LoadError) {
        while try receive() { received.removeAll(keepingCapacity: true) }
    }

    private var endOfHead: Int? {
        guard received.count >= 4 else { return nil }
        for i in 0...(received.count - 4)
        where received[i] == 13 && received[i + 1] == 10 && received[i + 2] == 13
            && received[i + 3] == 10
        {
            return i
        }
        return nil
    }

    /// - Returns: `false` when the connection is closed.
    private func receive() throws(LoadError) -> Bool {
        var count = 0
        var failure: Int32 = 0
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, initialized in
            count = unsafe recv(socketNumber, buffer.baseAddress, buffer.count, 0)
            failure = errno
            initialized = max(0, count)
        }
        // Treats a connection reset like a close.
        if count == 0 || (count < 0 && failure == ECONNRESET) { return false }
        guard count > 0 else {
            throw LoadError(
                failure == EAGAIN
                    ? "the server did not respond in time"
                    : "receiving from the server failed: \(failure)")
        }
        received += chunk
        return true
    }

    private static var lastError: String { unsafe String(cString: strerror(errno)) }
}
