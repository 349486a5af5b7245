internal import AsyncHTTPClient
package import MienCore
internal import NIOHTTP1

extension WebhookCaller {
    /// Reads JSON once, under the rules of webhooks.
    ///
    /// - Parameter maxAnswer: The size of the answer, in bytes.
    /// - Returns: `nil` unless the address answers with 200 and JSON in time.
    package func get(_ url: String, upTo maxAnswer: Int, within limit: Duration) async -> JSONValue?
    {
        let result = await exchange(with: url, upTo: maxAnswer, within: limit) { target in
            var request = HTTPClientRequest(url: target.url)
            request.headers.add(name: "accept", value: "application/json")
            request.headers.add(name: "user-agent", value: "mien")
            return request
        }
        guard case .answered(200, let body) = result else { return nil }
        return try? JSONText.parse(body, limits: .init(maxBytes: maxAnswer, maxDepth: 8))
    }
}
