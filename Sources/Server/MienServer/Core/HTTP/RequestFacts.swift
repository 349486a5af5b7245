internal import HTTPTypes
internal import Logging
package import MienCore
internal import Synchronization

/// Facts about a request that are found while it is handled, for its line in the log.
///
/// The line never contains the address or its parameters, because they may name a user; the route's
/// template stands in for them.
package final class RequestFacts: Sendable {
    /// Why an OAuth endpoint refused a request.
    package struct Refusal: Sendable, Hashable {
        /// The code, such as `invalid_request`.
        package let error: String
        /// The fault, in words of this server that repeat nothing of the request.
        package let description: String

        package init(error: String, description: String) {
            (self.error, self.description) = (error, description)
        }
    }

    private struct Noted {
        var app: AppID?
        var claimed: AppID?
        var refusal: Refusal?
    }

    private let noted = Mutex(Noted())

    init() {}

    /// The app that sent the request, once it has authenticated or shown a token.
    var app: AppID? { noted.withLock { $0.app } }

    /// The app that a request is from, or that it names without having proved it.
    package var claimedApp: AppID? { noted.withLock { $0.app ?? $0.claimed } }

    /// Why an OAuth endpoint refused the request; `nil` if none did.
    package var refusal: Refusal? { noted.withLock { $0.refusal } }

    /// Notes the app that sent the current request. Does nothing outside of a request.
    package static func note(app: AppID) {
        RequestOrigin.current.facts.noted.withLock { $0.app = app }
    }

    /// Notes the app of this server that the current request names, before it proves anything.
    package static func note(claimed app: AppID) {
        RequestOrigin.current.facts.noted.withLock { $0.claimed = app }
    }

    /// Notes why the current request is refused.
    package static func note(refusal: Refusal) {
        RequestOrigin.current.facts.noted.withLock { $0.refusal = refusal }
    }

    /// Methods that a client can send and the log can name. Others are words of the client's.
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    static func metadata(
        method: HTTPRequest.Method?, route: String?, status: HTTPResponse.Status, took: Duration,
        app: AppID?, refusal: Refusal? = nil
    ) -> Logger.Metadata {
        var facts: Logger.Metadata = [
            "request.method": .string(
                method.map { methods.contains($0) ? $0.rawValue : "other" } ?? "unknown"),
            // A request without a route has a name in place of a template.
            "request.route": .string(route?.hasPrefix("/") == true ? route! : "unknown"),
            "response.status": .stringConvertible(status.code),
            "response.milliseconds": .stringConvertible(
                took.components.seconds * 1000
                    + took.components.attoseconds / 1_000_000_000_000_000),
        ]
        if let app { facts["app.id"] = .string(app.text) }
        if let refusal {
            facts["oauth.error"] = .string(refusal.error)
            facts["oauth.error_description"] = .string(refusal.description)
        }
        return facts
    }
}
