/// The claims that an app reads about its users, where, and under which names.
///
/// The standard claims of OpenID Connect Core §5.1 come from the account, and from attributes of the
/// same names.
public struct ClaimSettings: Sendable, Hashable, Codable {
    public static let maxAttributes = 64
    /// The maximum length of the name of an attribute or a claim in UTF-8 bytes.
    public static let maxNameBytes = 128

    /// Claims that come from other attributes: the name of the claim by that of the attribute. A
    /// claim that is not a standard one belongs to the scope `profile`.
    public var attributes: [String: String]
    /// The claim that names the user's groups.
    public var groups: String
    /// Whether ID tokens have the claims of the scopes, too.
    public var areInIDToken: Bool
    /// Whether an address that nobody verified is told, with `email_verified: false`.
    public var includesUnverifiedEmail: Bool

    public init(
        attributes: [String: String] = [:], groups: String = Scope.groups,
        areInIDToken: Bool = true, includesUnverifiedEmail: Bool = false
    ) {
        (self.attributes, self.groups) = (attributes, groups)
        (self.areInIDToken, self.includesUnverifiedEmail) = (areInIDToken, includesUnverifiedEmail)
    }

    /// Claims that the server itself defines. No attribute takes their place.
    public static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp",
        "at_hash", "c_hash", "s_hash", "sid", "cnf", "client_id", "scope", "act", "may_act",
        "events", "journey", "approval_data", "recovered", "mien_proof", "flow_id", "org_id",
        "org_name", "org_roles", "test_account", "email", "email_verified", "updated_at",
    ]

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if attributes.count > Self.maxAttributes {
            faults.append(("attributes", "must contain at most \(Self.maxAttributes) attributes"))
        }
        for (attribute, claim) in attributes.sorted(by: { $0.key < $1.key }) {
            let path = "attributes.\(attribute.prefix(64))"
            if !Self.isName(attribute) {
                faults.append((path, "must be the name of an attribute, \(Self.nameRule)"))
            } else if !Self.isName(claim) {
                faults.append((path, "must be the name of a claim, \(Self.nameRule)"))
            } else if Self.reserved.contains(claim) {
                faults.append((path, "is a claim that the server itself defines: \(claim)"))
            }
        }
        let claims = attributes.values.sorted()
        if let twice = zip(claims, claims.dropFirst()).first(where: { $0 == $1 }) {
            faults.append(("attributes", "names a claim twice: \(twice.0.prefix(64))"))
        }
        if let taken = attributes.first(where: { $0.value == groups || $0.value == Scope.groups }) {
            faults.append(
                (
                    "attributes.\(taken.key.prefix(64))",
                    "must not be the claim of the groups: import the groups instead"
                ))
        }
        if !Self.isName(groups) || Self.reserved.contains(groups) {
            faults.append(
                ("groups", "must be the name of a claim that the server does not define itself"))
        }
        return faults
    }

    private static let nameRule =
        "1 to \(maxNameBytes) printable ASCII characters without spaces and quotes"

    private static func isName(_ text: String) -> Bool {
        (1...maxNameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case attributes, groups, areInIDToken = "id_token",
            includesUnverifiedEmail = "unverified_email"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self), standard = Self()
        self.init(
            attributes: try values.decodeIfPresent([String: String].self, forKey: .attributes)
                ?? standard.attributes,
            groups: try values.decodeIfPresent(String.self, forKey: .groups) ?? standard.groups,
            areInIDToken: try values.decodeIfPresent(Bool.self, forKey: .areInIDToken)
                ?? standard.areInIDToken,
            includesUnverifiedEmail: try values.decodeIfPresent(
                Bool.self, forKey: .includesUnverifiedEmail) ?? standard.includesUnverifiedEmail)
    }
}
