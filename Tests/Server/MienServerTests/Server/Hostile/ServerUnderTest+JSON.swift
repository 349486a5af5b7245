import Foundation
import MienClient
import MienCore

extension ServerUnderTest {
    /// The server's name in its tokens and in requests signed for it.
    var issuer: String { address }

    /// Sends JSON and parses the JSON response. Requests to the admin API go to its own address.
    func sendJSON(
        _ method: HTTPTransportRequest.Method, _ path: String, body: String = "",
        access: String? = nil
    ) async throws -> (status: Int, body: JSONValue) {
        var headers = ["content-type": "application/json"]
        if let access { headers["authorization"] = "Bearer \(access)" }
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: url(path), headers: headers, body: Array(body.utf8),
                timeout: .seconds(60)))
        return (
            answer.status,
            answer.body.isEmpty
                ? .null
                : try JSONText.parse(answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32))
        )
    }
}
