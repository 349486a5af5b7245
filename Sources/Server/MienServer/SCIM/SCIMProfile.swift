internal import MienAPI
internal import MienCore
internal import MienStore

/// A directory's description of a person, in the terms of an account.
struct SCIMProfile: Sendable {
    /// A name for the account that no other directory can take, and nobody else has.
    let externalID: String
    private let address: String?
    /// The address, if the directory may vouch for it.
    let vouched: LoginName?
    private let attributes: [String: JSONValue]

    init(_ content: [String: JSONValue], _ caller: SCIMCaller) throws {
        let name = content["userName"]?.stringValue ?? ""
        externalID = "\(caller.organization.text)/\(SCIMText.folded(name))"
        do throws(LoginNameError) { _ = try LoginName(externalID, kind: .externalID) } catch {
            throw SCIMError(400, .invalidValue, "userName \(error.description).")
        }
        let emails = content["emails"]?.arrayValue ?? []
        let typed =
            (emails.first { $0["primary"] == true } ?? emails.first)?["value"]?.stringValue ?? name
        // A user name need not be an address, and neither need what stands in its place.
        let login = try? LoginName(typed, kind: .email)
        address = login == nil ? nil : typed
        vouched = login.flatMap { caller.vouches(for: $0) ? $0 : nil }
        var attributes: [String: JSONValue] = [:]
        let words = content["name"]
        attributes["name"] = content["displayName"] ?? words?["formatted"]
        attributes["given_name"] = words?["givenName"]
        attributes["family_name"] = words?["familyName"]
        attributes["locale"] = content["locale"] ?? content["preferredLanguage"]
        attributes["zoneinfo"] = content["timezone"]
        let phones = content["phoneNumbers"]?.arrayValue ?? []
        attributes["phone_number"] =
            (phones.first { $0["primary"] == true } ?? phones.first)?["value"]
        self.attributes = attributes
    }

    /// The attributes of an account that a directory writes.
    private static let written = [
        "name", "given_name", "family_name", "locale", "zoneinfo", "phone_number",
    ]

    /// Returns the account's profile with what the directory has changed.
    ///
    /// - Parameter former: What it said before. Everything else stays as the person, or an
    ///   administrator, has set it since.
    func applied(to profile: AccountProfile, from former: SCIMProfile?) -> AccountProfile {
        var profile = profile
        if externalID != former?.externalID { profile.externalID = externalID }
        // An address that the person has verified stays verified.
        if address != former?.address, address != profile.email {
            profile.setEmail(address, isVerified: vouched != nil)
        }
        for name in Self.written where attributes[name] != former?.attributes[name] {
            profile.attributes[name] = attributes[name]
        }
        return profile
    }

    /// Returns the profile of an account that the directory no longer knows: somebody else may get
    /// the name and the address there, whatever the directory has said of it last.
    ///
    /// - Parameter tokens: All of the organization's.
    static func withdrawn(
        from profile: AccountProfile, by organization: OrganizationID, _ tokens: [SCIMTokenRecord]
    ) -> AccountProfile {
        var profile = profile
        if profile.externalID?.hasPrefix("\(organization.text)/") == true {
            profile.externalID = nil
        }
        if let email = profile.email, let name = try? LoginName(email, kind: .email),
            tokens.contains(where: { SCIMCaller(token: $0, base: "").vouches(for: name) })
        {
            profile.setEmail(email, isVerified: false)
        }
        return profile
    }
}
