internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

extension WebhookCaller {
    /// The result of a post.
    package enum PostResult: Sendable, Hashable {
        case answered(Int)
        /// The host is not listed, or its address is not public.
        case notAllowed
        /// There was no answer in time.
        case failed
    }

    /// Posts a form once, under the rules of webhooks. The answer's body is ignored.
    package func post(_ fields: [(String, String)], to url: String, within limit: Duration) async
        -> PostResult
    {
        let result = await exchange(with: url, upTo: nil, within: limit) { target in
            Self.form(fields, to: target)
        }
        switch result {
        case .answered(let status, _): return .answered(status)
        case .notAllowed: return .notAllowed
        case .tooLarge, .timedOut, .failed: return .failed
        }
    }

    static func form(_ fields: [(String, String)], to target: WebhookTarget) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "user-agent", value: "mien")
        let form = fields.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
        request.body = .bytes(ByteBuffer(string: form))
        return request
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(
            withAllowedCharacters: .init(
                charactersIn:
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")) ?? ""
    }
}
