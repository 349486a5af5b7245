internal import MienAPI
internal import MienCore
internal import MienStore

/// The claims about a user that an app may read: OpenID Connect Core §5.1, and those that the app's
/// settings take from attributes.
struct UserClaims: Sendable {
    let account: AccountRecord
    let settings: ClaimSettings
    /// The groups of the account.
    let groups: GroupNames
    /// The organization of the sign-in, whose roles count as groups.
    let organization: OrganizationAccess?

    /// Claims of strings, which come from the attributes of the same names.
    private static let texts = [
        "name", "given_name", "family_name", "middle_name", "nickname", "profile", "picture",
        "website", "gender", "birthdate", "zoneinfo", "locale",
    ]
    private static let addressParts = [
        "formatted", "street_address", "locality", "region", "postal_code", "country",
    ]

    /// The standard claims of each scope (§5.4). Software that looks people up by their address shows
    /// a user name beside it.
    private static let ofScope: [String: Set<String>] = [
        Scope.profile: Set(texts + ["preferred_username", "updated_at"]),
        Scope.email: ["email", "email_verified", "preferred_username"],
        Scope.phone: ["phone_number", "phone_number_verified"], Scope.address: ["address"],
    ]

    /// The names of all standard claims.
    static let standard = ofScope.values.reduce(into: Set<String>()) { $0.formUnion($1) }.sorted()

    /// Returns the scopes that tell these claims, of which a person is asked for permission.
    static func scopes(of names: [String], _ settings: ClaimSettings) -> Set<String> {
        Set(
            names.flatMap { name -> [String] in
                if name == settings.groups { return [Scope.groups] }
                if settings.attributes.values.contains(name), !standard.contains(name) {
                    return [Scope.profile]
                }
                let scopes = ofScope.filter { $0.value.contains(name) }.keys
                // Of several scopes, the one that tells less.
                return scopes.contains(Scope.email) ? [Scope.email] : Array(scopes)
            })
    }

    /// Returns what is known of the claims of a scope, and of those that are named.
    func claims(scope: Scope, names: [String]) -> [String: JSONValue] {
        var wanted = Set(names)
        for (word, claims) in Self.ofScope where scope.contains(word) { wanted.formUnion(claims) }
        if scope.contains(Scope.profile) {
            wanted.formUnion(settings.attributes.values.filter { !Self.standard.contains($0) })
        }
        if scope.contains(Scope.groups) { wanted.insert(settings.groups) }
        return known.filter { wanted.contains($0.key) }
    }

    private var known: [String: JSONValue] {
        let profile = account.profile.use { $0 }
        var claims: [String: JSONValue] = [
            "updated_at": .number(Double(account.updatedAt.seconds)),
            settings.groups: .array(
                Set(groups.words + (organization?.roles.words ?? [])).sorted().map {
                    .string($0)
                }),
        ]
        let values = values(of: profile.attributes)
        for name in Self.texts { claims[name] = Self.text(values[name]) }
        claims["name"] = claims["name"] ?? Self.joined(claims["given_name"], claims["family_name"])
        // Only an administrator decides that an attribute stands in for the user name.
        let isMapped = settings.attributes.values.contains("preferred_username")
        claims["preferred_username"] =
            isMapped
            ? Self.text(values["preferred_username"]) : profile.username.map { .string($0) }
        if let number = Self.text(values["phone_number"]) {
            claims["phone_number"] = number
            claims["phone_number_verified"] = .bool(
                values["phone_number_verified"].map {
                    $0.boolValue ?? ($0.stringValue == "true")
                } ?? false)
        }
        claims["address"] = Self.address(values)
        for claim in settings.attributes.values
        where !Self.standard.contains(claim) && !claim.hasPrefix("address.") {
            claims[claim] = values[claim]
        }
        return claims.merging(email(profile)) { $1 }
    }

    /// The attributes under the names of the claims that they are for.
    private func values(of attributes: [String: JSONValue]) -> [String: JSONValue] {
        var values = attributes
        for claim in settings.attributes.values { values[claim] = nil }
        for (attribute, claim) in settings.attributes { values[claim] = attributes[attribute] }
        return values
    }

    private func email(_ profile: AccountProfile) -> [String: JSONValue] {
        if let email = profile.email { return ["email": .string(email), "email_verified": true] }
        guard settings.includesUnverifiedEmail, let claimed = profile.claimedEmail else {
            return [:]
        }
        return ["email": .string(claimed), "email_verified": false]
    }

    /// A text; `nil` for anything else, which software does not expect.
    private static func text(_ value: JSONValue?) -> JSONValue? {
        value?.stringValue.map { .string($0) }
    }

    private static func joined(_ parts: JSONValue?...) -> JSONValue? {
        let words = parts.compactMap { $0?.stringValue }
        return words.isEmpty ? nil : .string(words.joined(separator: " "))
    }

    /// The address (§5.1.1), from an attribute `address` or from attributes of its parts.
    private static func address(_ values: [String: JSONValue]) -> JSONValue? {
        var parts: [String: JSONValue] = [:]
        for name in addressParts {
            parts[name] =
                text(values["address.\(name)"]) ?? text(values["address"]?[name])
                ?? (name == "formatted" ? text(values["address"]) : text(values[name]))
        }
        return parts.isEmpty ? nil : .object(parts)
    }
}
