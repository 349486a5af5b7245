internal import MienAPI
internal import MienCore

/// The claims that an authorization request names: the parameter `claims` of OpenID Connect Core
/// §5.5. An essential claim that is not known is left out, as the specification says.
struct ClaimsRequest: Sendable {
    private static let maxNames = 64

    /// The names of the claims, in order and without duplicates.
    let userInfo, idToken: [String]
    /// The only user whom the app accepts: a value of `sub`.
    let subject: String?
    /// The values of `acr` of which one is essential.
    let essentialLevels: [String]

    static let empty = ClaimsRequest(
        userInfo: [], idToken: [], subject: nil, essentialLevels: [])

    private init(
        userInfo: [String], idToken: [String], subject: String?, essentialLevels: [String]
    ) {
        (self.userInfo, self.idToken) = (userInfo, idToken)
        (self.subject, self.essentialLevels) = (subject, essentialLevels)
    }

    /// - Throws: ``OAuthError`` `invalid_request` unless it is an object of objects, whose members
    ///   are `null` or objects.
    init(_ text: String) throws(OAuthError) {
        let value = try? JSONText.parse(
            Array(text.utf8), limits: .init(maxBytes: 8192, maxDepth: 8))
        guard let value, value.objectValue != nil else { throw Self.malformed }
        let userInfo = try Self.members(value["userinfo"]),
            idToken = try Self.members(value["id_token"])
        guard userInfo.count + idToken.count <= Self.maxNames else {
            throw OAuthError(.invalidRequest, "claims must name at most \(Self.maxNames) claims.")
        }
        self.init(
            userInfo: userInfo.keys.sorted(), idToken: idToken.keys.sorted(),
            subject: (idToken["sub"] ?? userInfo["sub"])?["value"]?.stringValue,
            essentialLevels: idToken["acr"]?["essential"]?.boolValue == true
                ? Self.values(idToken["acr"]) : [])
    }

    private static let malformed = OAuthError(
        .invalidRequest,
        "claims must be a JSON object whose members userinfo and id_token name claims, each with null or an object."
    )

    private static func members(_ value: JSONValue?) throws(OAuthError) -> [String: JSONValue] {
        guard let value, !value.isNull else { return [:] }
        guard let members = value.objectValue,
            members.values.allSatisfy({ $0.isNull || $0.objectValue != nil })
        else { throw malformed }
        return members
    }

    private static func values(_ claim: JSONValue?) -> [String] {
        let one = claim?["value"]?.stringValue.map { [$0] } ?? []
        return one + (claim?["values"]?.arrayValue ?? []).compactMap(\.stringValue)
    }
}
