internal import AsyncHTTPClient
package import MienCore
internal import NIOCore
internal import NIOHTTP1

extension WebhookCaller {
    /// The result of an exchange.
    package enum ExchangeResult: Sendable, Hashable {
        case answered(Int, [UInt8])
        /// The host is not listed, or its address is not public.
        case notAllowed
        /// The answer was longer than allowed.
        case tooLarge
        case timedOut
        /// There was no connection, or it broke.
        case failed
    }

    /// Sends signed JSON about an app once, under the rules of webhooks. The answer's body is ignored.
    package func notify(
        _ body: String, id: String, app: AppID, at url: String, within limit: Duration
    ) async -> PostResult {
        let delivery = Delivery(id: id, app: app, body: body)
        let result = await exchange(with: url, upTo: nil, within: limit) {
            request(delivery, to: $0)
        }
        switch result {
        case .answered(let status, _): return .answered(status)
        case .notAllowed: return .notAllowed
        case .tooLarge, .timedOut, .failed: return .failed
        }
    }

    /// Sends signed JSON once, under the rules of webhooks.
    ///
    /// - Parameters:
    ///   - id: The `mien-delivery`, the same if the same request is repeated.
    ///   - limit: The time until the last byte of the answer.
    package func exchange(
        _ body: String, id: String, with url: String, upTo maxAnswer: Int, within limit: Duration
    ) async -> ExchangeResult {
        await exchange(
            Delivery(id: id, app: nil, body: body), with: url, upTo: maxAnswer, within: limit)
    }

    private func exchange(
        _ delivery: Delivery, with url: String, upTo maxAnswer: Int, within limit: Duration
    ) async -> ExchangeResult {
        await exchange(with: url, upTo: maxAnswer, within: limit) { request(delivery, to: $0) }
    }

    /// Sends a request once, under the rules of webhooks.
    ///
    /// - Parameter maxAnswer: `nil` if the body has no use: it is not read.
    func exchange(
        with url: String, upTo maxAnswer: Int?, within limit: Duration,
        _ request: @escaping @Sendable (WebhookTarget) -> HTTPClientRequest
    ) async -> ExchangeResult {
        guard let target = target(of: url) else { return .notAllowed }
        let begun = ContinuousClock.now
        do {
            return try await Self.within(limit) {
                guard let address = try await address(of: target) else { return .notAllowed }
                return try await withClient(of: target, at: address) { client in
                    let response = try await client.execute(
                        request(target), timeout: .hours(1))
                    let body =
                        if let maxAnswer {
                            Array(
                                try await response.body.collect(upTo: maxAnswer).readableBytesView)
                        } else { [UInt8]() }
                    return .answered(Int(response.status.code), body)
                }
            }
        } catch is NIOTooManyBytesError {
            return .tooLarge
        } catch {
            return ContinuousClock.now - begun >= limit ? .timedOut : .failed
        }
    }
}
