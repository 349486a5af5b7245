internal import MienAPI
internal import MienCore
internal import MienStore

/// An authorization request that an app has signed: RFC 9101. Its parameters replace all others, so
/// that nobody changes or adds one on the way.
struct RequestObject: Sendable {
    /// Claims about the object itself, which are no parameters.
    private static let own: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]
    private static let tolerance = Duration.seconds(30)
    private static let longest = Duration.seconds(3600)

    /// The reason an object is refused. Repeats no part of it.
    struct Invalid: Error {
        let reason: String
    }

    let fields: [FormFields.Pair]

    /// - Throws: ``Invalid``.
    init(
        _ message: ClientKeys.Message, of app: AppRecord, issuer: String, at now: Instant
    ) throws(Invalid) {
        let claims = message.claims
        guard ["oauth-authz-req+jwt", "JWT", nil].contains(message.type) else {
            throw Invalid(reason: "typ must be oauth-authz-req+jwt or JWT")
        }
        // A JWT with which the app authenticates is no request.
        guard claims["sub"]?.stringValue != app.id.text else {
            throw Invalid(reason: "sub must not be the app's ID")
        }
        guard claims["iss"]?.stringValue == app.id.text,
            claims["client_id"]?.stringValue == app.id.text
        else { throw Invalid(reason: "iss and client_id must be the app's ID") }
        let audience =
            claims["aud"]?.stringValue.map { [$0] }
            ?? (claims["aud"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard audience.contains(issuer) else { throw Invalid(reason: "aud must be \(issuer)") }
        guard claims["request"] == nil, claims["request_uri"] == nil else {
            throw Invalid(reason: "request and request_uri must be outside of the object")
        }
        try Self.checkTimes(claims, at: now)
        fields = try Self.fields(of: claims)
    }

    private static func checkTimes(_ claims: [String: JSONValue], at now: Instant) throws(Invalid) {
        for name in ["nbf", "iat"] where claims[name] != nil {
            guard let time = ClientKeys.instant(claims[name]), time <= now + tolerance else {
                throw Invalid(reason: "\(name) must not be in the future")
            }
        }
        guard claims["exp"] != nil else { return }
        guard let end = ClientKeys.instant(claims["exp"]), now < end + tolerance,
            end <= now + longest
        else { throw Invalid(reason: "exp must be a time within the next hour") }
    }

    private static func fields(of claims: [String: JSONValue]) throws(Invalid) -> [FormFields.Pair]
    {
        var fields: [FormFields.Pair] = []
        for (name, value) in claims.sorted(by: { $0.key < $1.key }) where !own.contains(name) {
            let several = name == "resource" ? value.arrayValue : nil
            for one in several ?? [value] {
                switch one {
                case .null: continue
                case .string(let text): fields.append(.init(name, text))
                default: fields.append(.init(name, JSONText.write(one)))
                }
            }
        }
        guard fields.count <= FormFields.maxFields else {
            throw Invalid(reason: "it must have at most \(FormFields.maxFields) parameters")
        }
        return fields
    }
}
