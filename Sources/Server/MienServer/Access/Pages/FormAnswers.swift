internal import Crypto
internal import Foundation
internal import HTTPTypes
package import Hummingbird
package import MienCore
package import MienStore

/// Answers the form of a page once. Another request with it waits for the same answer: a double click
/// without scripts sends a form twice, and the browser shows the second answer only. Proxies send one
/// again, too.
///
/// An answer may hold what is shown only once, such as recovery codes. It is sealed, and kept for a
/// minute, for the browser that sent the form.
package struct FormAnswers: Sendable {
    /// How long an answer is kept. A proxy, or a second click, repeats a form at once.
    private static let memory = Duration.seconds(60)
    /// How often, and how long, a request waits for the answer to another one with the same form.
    private static var maxLooks: Int { 200 }
    private static var look: Duration { .milliseconds(50) }

    private let store: Store
    private let clock: ServerClock

    package init(store: Store, clock: ServerClock) { (self.store, self.clock) = (store, clock) }

    /// - Parameters:
    ///   - repeated: Makes the answer to the same form again out of the first one; `nil` if the form
    ///     may be answered again, because it was not judged.
    ///   - body: Answers the form. It runs to its end, also if the browser gives up this request for
    ///     another one.
    /// - Returns: `nil` if another request with the form takes too long.
    package func once(
        _ key: FormKey, repeated: @escaping @Sendable (Response) -> Response? = { $0 },
        first body: @escaping @Sendable () async throws -> Response
    ) async throws -> Response? {
        for _ in 0..<Self.maxLooks {
            switch try await take(key) {
            case .answered(let answer): return answer.response
            case .underWay: try await Task.sleep(for: Self.look)
            case .first:
                return try await Task {
                    do {
                        let response = try await body()
                        try await finish(
                            key, with: repeated(response).asyncMap { try await Answer($0) })
                        return response
                    } catch {
                        try? await finish(key, with: nil)
                        throw error
                    }
                }.value
            }
        }
        return nil
    }

    /// Returns the answer to a form that was sent before, once there is one.
    package func answer(to key: FormKey) async throws -> Response? {
        let now = clock.now, hash = hash(key)
        for _ in 0..<Self.maxLooks {
            let found = try await store.read { try $0.web.find(.flow, hash, at: now) }
            guard let found else { return nil }
            if case .answered(let answer) = try Self.sent(found) { return answer.response }
            try await Task.sleep(for: Self.look)
        }
        return nil
    }

    /// The state of a form.
    private enum Sent: Sendable {
        case first, underWay
        case answered(Answer)
    }

    /// Notes that a form is being answered, unless it is or was.
    private func take(_ key: FormKey) async throws -> Sent {
        let now = clock.now, hash = hash(key)
        let record = WebRecord(
            .flow, hash, content: Sensitive(Array("null".utf8)), expiresAt: now + Self.memory)
        let found = try await store.write(.process) { tables -> WebRecord? in
            if let found = try tables.web.find(.flow, hash, at: now) { return found }
            try tables.web.put(record)
            return nil
        }
        return try found.map(Self.sent) ?? .first
    }

    private static func sent(_ record: WebRecord) throws -> Sent {
        let answer = try record.content.use {
            try JSONDecoder().decode(Answer?.self, from: Data($0))
        }
        return answer.map { .answered($0) } ?? .underWay
    }

    /// Keeps the answer to a form; without one, the form may be sent again.
    private func finish(_ key: FormKey, with answer: Answer?) async throws {
        let hash = hash(key)
        guard let answer else {
            return try await store.write(.process) { try $0.web.delete(.flow, hash) }
        }
        let record = WebRecord(
            .flow, hash, content: Sensitive([UInt8](try JSONEncoder().encode(answer))),
            expiresAt: clock.now + Self.memory)
        try await store.write(.process) { try $0.web.put(record) }
    }

    private func hash(_ key: FormKey) -> [UInt8] {
        store.keys.hash(ofSecret: Array(key.text.utf8))
    }

    private struct Answer: Sendable, Codable {
        private let status: Int
        private let fields: [[String]]
        private let text: String

        init(_ response: Response) async throws {
            let body = Collected()
            try await response.body.write(body)
            status = response.status.code
            fields = response.headers.filter { $0.name != .contentLength }.map {
                [$0.name.rawName, $0.value]
            }
            text = String(decoding: body.bytes, as: UTF8.self)
        }

        var response: Response {
            var headers = HTTPFields()
            for field in fields {
                guard field.count == 2, let name = HTTPField.Name(field[0]) else { continue }
                headers.append(HTTPField(name: name, value: field[1]))
            }
            return Response(
                status: .init(code: status), headers: headers,
                body: text.isEmpty ? .init() : .init(byteBuffer: .init(string: text)))
        }
    }
}

/// Names a form that a browser sent.
package struct FormKey: Sendable {
    fileprivate let text: String

    /// - Parameters:
    ///   - address: The path that takes the form.
    ///   - form: Distinguishes forms with the same path, such as a random text in the page.
    ///   - browser: A secret that others lack: the browser's cookie, or the code of a mailed link.
    ///   - content: What the person entered. The same form with other content, such as one that was
    ///     corrected after going back, is another one. `nil` if nothing can be entered, or the first
    ///     answer ends the form.
    package init(
        _ address: String, form: String, browser: String, content: Sensitive<[UInt8]>? = nil
    ) {
        let hash = content.map { $0.use { Base64URL.encode(SHA256.hash(data: Data($0))) } }
        text = "form \(address.prefix(512)) \(form.prefix(64)) \(browser) \(hash ?? "")"
    }
}
