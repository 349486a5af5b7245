internal import HTTPTypes
internal import Logging
package import MienCore
internal import Synchronization

/// Facts about a request that are found while it is handled, for its line in the log.
///
/// The line never contains the address or its parameters, because they may name a user; the route's
/// template stands in for them.
package final class RequestFacts: Sendable {
    private let noted = Mutex<AppID?>(nil)

    init() {}

    /// The app that sent the request, once it has authenticated or shown a token.
    var app: AppID? { noted.withLock { $0 } }

    /// Notes the app that sent the current request. Does nothing outside of a request.
    package static func note(app: AppID) {
        RequestOrigin.current.facts.noted.withLock { $0 = app }
    }

    /// Methods that a client can send and the log can name. Others are words of the client's.
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    static func metadata(
        method: HTTPRequest.Method?, route: String?, status: HTTPResponse.Status, took: Duration,
        app: AppID?
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
        return facts
    }
}
