import Foundation
import MienCore
import Testing

/// Many requests that reach the server at the same moment.
///
/// Each uses its own connection and first sends all but its last byte. The last bytes follow
/// together, so that the server begins to handle the requests within about a millisecond, however
/// long connecting took.
enum Race {
    static let contenders = 64

    struct Entry: Sendable {
        var method = "POST"
        let path: String
        var headers: [String: String] = [:]
        var body = ""

        static func json(_ path: String, _ body: String, access: String? = nil) -> Entry {
            var headers = ["content-type": "application/json"]
            if let access { headers["authorization"] = "Bearer \(access)" }
            return Entry(path: path, headers: headers, body: body)
        }

        static func form(
            _ path: String, _ fields: [(String, String)], headers: [String: String] = [:]
        ) -> Entry {
            let text = fields.map {
                "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
            }.joined(separator: "&")
            return Entry(
                path: path,
                headers: headers.merging(["content-type": "application/x-www-form-urlencoded"]) {
                    $1
                }, body: text)
        }

        var bytes: [UInt8] {
            var text = "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\n"
            for (name, value) in headers { text += "\(name): \(value)\r\n" }
            if method == "POST" { text += "content-length: \(body.utf8.count)\r\n" }
            return Array((text + "\r\n" + body).utf8)
        }
    }

    /// - Returns: The responses, in the order of `entries`.
    static func run(_ entries: [Entry], at address: String) async throws -> [RawAnswer] {
        let connections = try await each(entries.indices) { index in
            let connection = try await RawConnection.open(address)
            try await connection.send(entries[index].bytes.dropLast())
            return connection
        }
        // The first parts have arrived by now; the server waits for the rest.
        try await Task.sleep(for: .milliseconds(50))
        return try await each(entries.indices) { index in
            try await connections[index].send([entries[index].bytes.last!])
            return try #require(try await connections[index].answer(to: entries[index].method))
        }
    }

    /// Sends the same entry from all ``contenders``.
    static func run(_ entry: Entry, at address: String) async throws -> [RawAnswer] {
        try await run([Entry](repeating: entry, count: contenders), at: address)
    }

    private static func each<Output: Sendable>(
        _ indices: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Output
    ) async throws
        -> [Output]
    {
        try await withThrowingTaskGroup(of: (Int, Output).self) { tasks in
            for index in indices { tasks.addTask { (index, try await body(index)) } }
            var outputs: [(Int, Output)] = []
            for try await output in tasks { outputs.append(output) }
            return outputs.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension [RawAnswer] {
    /// Returns the number of responses with this status.
    func count(_ status: Int) -> Int { count { $0.status == status } }
    /// The number of responses by status, for messages.
    var statuses: [Int: Int] { Dictionary(map { ($0.status, 1) }, uniquingKeysWith: +) }
}
