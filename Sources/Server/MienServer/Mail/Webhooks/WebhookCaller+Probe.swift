package import MienCore

extension WebhookCaller {
    /// The request that a probe sends.
    package enum Probe: Sendable {
        /// Signed JSON, as `call_webhook` and identity webhooks send it.
        case json(String, id: String, app: AppID?)
        /// A form, as back-channel logout sends it.
        case form([(String, String)])
    }

    /// The result of a probe. The answer's body is not part of it.
    package enum ProbeResult: Sendable, Hashable {
        case answered(Int)
        /// The host is not listed, or its address is not public.
        case notAllowed
        case tooLarge
        case timedOut
        /// There was no connection, or it broke.
        case failed
    }

    /// Tries once whether a URL answers, under the rules of webhooks.
    package func probe(_ probe: Probe, at url: String, within limit: Duration) async -> ProbeResult
    {
        // Only a journey reads what a webhook answers.
        let limitOfAnswer: Int? =
            if case .json(_, _, app: nil) = probe { Self.maxAnswer } else { nil }
        let result = await exchange(with: url, upTo: limitOfAnswer, within: limit) { target in
            switch probe {
            case .json(let body, let id, let app):
                request(Delivery(id: id, app: app, body: body), to: target)
            case .form(let fields): Self.form(fields, to: target)
            }
        }
        switch result {
        case .answered(let status, _): return .answered(status)
        case .notAllowed: return .notAllowed
        case .tooLarge: return .tooLarge
        case .timedOut: return .timedOut
        case .failed: return .failed
        }
    }
}
