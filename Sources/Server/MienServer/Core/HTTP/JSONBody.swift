internal import Foundation
package import HTTPTypes
package import Hummingbird
package import MienAPI
package import MienCore
internal import NIOCore

/// Reads and writes JSON bodies.
package struct JSONBody: Sendable {
    let maxBytes: Int
    let budget: BodyBudget

    static let maxDepth = 24
    /// Unknown members that an answer names. Naming all would make it many times the request's size.
    package static let maxReported = 10

    /// Decodes the body as a `Body`. The body must be within limits and have no unknown members.
    ///
    /// - Throws: ``Problem`` that names what is wrong and where.
    package func read<Body: Decodable, Keys: CodingKey & CaseIterable>(
        _: Body.Type, _ keys: Keys.Type, from request: Request
    ) async throws -> Body {
        let value = try await parse(request)
        guard let members = value.objectValue else {
            throw Problem(.invalidRequest, "The body is \(value.kind), not an object.")
        }
        let unknown = members.keys.filter { Keys(stringValue: $0) == nil }.sorted()
        guard unknown.isEmpty else {
            let known = keys.allCases.map { $0.stringValue }
            throw Problem(
                .invalidRequest,
                errors: unknown.prefix(Self.maxReported).map {
                    .init(
                        field: Self.shown($0),
                        message: "is unknown; allowed are \(known.joined(separator: ", "))")
                })
        }
        do { return try value.decoded(as: Body.self) } catch let error as DecodingError {
            throw Problem(.invalidRequest, errors: [Self.field(error)])
        }
    }

    /// Parses the body as any JSON value.
    package func parse(_ request: Request) async throws -> JSONValue {
        try await parseWithText(request).value
    }

    /// Parses the body as any JSON value and also returns its bytes.
    package func parseWithText(_ request: Request) async throws -> (value: JSONValue, text: [UInt8])
    {
        guard let type = request.headers[.contentType],
            type == "application/json"
                || type.split(separator: ";").first?.lowercased()
                    .trimmingCharacters(in: .whitespaces) == "application/json"
        else { throw Problem(.unsupportedMediaType, "Send content-type: application/json.") }
        let share = budget.share()
        let bytes = try await Self.collect(request, upTo: maxBytes, share)
        do {
            return (
                try JSONText.parse(
                    bytes, limits: .init(maxBytes: maxBytes, maxDepth: Self.maxDepth)), bytes
            )
        } catch {
            throw Problem(.invalidRequest, "The body is not acceptable JSON: \(error)")
        }
    }

    /// - Parameter share: Counts the memory that the body holds, until the share is deallocated.
    /// - Throws: ``Problem`` `.payloadTooLarge` before the body holds more than `limit` bytes;
    ///   ``ServerBusy`` before all bodies together, or those of the address, hold too much.
    package static func collect(_ request: Request, upTo limit: Int, _ share: BodyBudget.Share)
        async throws
        -> [UInt8]
    {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw tooLarge(limit)
        }
        ExpectContinue.ask(for: request.headers)
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else { throw tooLarge(limit) }
            try share.take(part.readableBytes)
            bytes.append(contentsOf: part.readableBytesView)
        }
        share.received()
        return bytes
    }

    package static func response(_ body: some Encodable, status: HTTPResponse.Status = .ok)
        -> Response
    {
        response(json: bytes(of: body), status: status)
    }

    package static func response(json: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }

    package static func bytes(of body: some Encodable) -> [UInt8] {
        // These are our own values. One that cannot be encoded is a bug.
        try! JSONText.encode(body)
    }

    private static func tooLarge(_ limit: Int) -> Problem {
        Problem(.payloadTooLarge, "The body may have at most \(limit) bytes.")
    }

    /// Returns a member's name in a form that is safe to repeat: short and on one line.
    static func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))).filter { !$0.isNewline }
    }

    static func field(_ error: DecodingError) -> Problem.FieldError {
        func name(_ path: [any CodingKey]) -> String {
            path.map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context):
            .init(field: name(context.codingPath + [key]), message: "is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            .init(field: name(context.codingPath), message: "has the wrong type")
        case .dataCorrupted(let context):
            .init(field: name(context.codingPath), message: context.debugDescription)
        @unknown default: .init(field: "", message: "cannot be decoded")
        }
    }
}

extension Problem {
    /// An invalid field of a body.
    package static func field(_ field: String, _ message: String) -> Problem {
        Problem(.invalidRequest, errors: [.init(field: field, message: message)])
    }
}
