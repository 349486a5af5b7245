internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import MienAPI
internal import MienCore
internal import NIOCore

/// Answers requests to the API within the process, for the pages. A page acts as its user through
/// the same routes as an app, so it can do nothing that the documented API cannot.
package struct InternalAPI: Sendable {
    private let respond: @Sendable (Request, MienRequestContext) async throws -> Response

    /// - Parameter routes: The API's routes, without middleware.
    package init(_ routes: Router<MienRequestContext>) {
        let responder = routes.buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    /// Sends a request as the user of a browser's sign-in.
    ///
    /// - Returns: The answer's body; `null` without one.
    /// - Throws: What the route throws: ``Problem``, ``OAuthError``.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
        as signIn: PageSignIn,
        from context: MienRequestContext
    ) async throws -> JSONValue {
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
        head.headerFields[.contentType] = "application/json"
        let bytes = body.map { JSONBody.bytes(of: $0) } ?? []
        let request = Request(head: head, body: .init(buffer: ByteBuffer(bytes: bytes)))
        let response = try await signIn.run {
            try await respond(request, context.inner())
        }
        let collected = Collected()
        try await response.body.write(collected)
        let text = collected.bytes
        guard !text.isEmpty else { return .null }
        return try JSONText.parse(text, limits: .init(maxBytes: 64 << 20, maxDepth: 64))
    }
}
