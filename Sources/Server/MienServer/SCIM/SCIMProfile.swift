internal import MienAPI
internal import MienCore
internal import MienStore

/// What a directory says of a person, as an account has it.
struct SCIMProfile: Sendable {
    /// A name for the account that no other directory can take, and nobody else has.
    private let externalID: String
    private let address: String?
    /// The address, if the directory may vouch for it.
    let vouched: LoginName?
    private let attributes: [String: JSONValue]

    init(_ content: [String: JSONValue], _ caller: SCIMCaller) throws {
        let name = content["userName"]?.stringValue ?? ""
        externalID = "\(caller.organization.text)/\(name.lowercased())"
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

    func applied(to profile: AccountProfile) -> AccountProfile {
        var profile = profile
        profile.externalID = externalID
        // An address that the person has verified stays verified.
        if address != profile.email {
            profile.setEmail(address, isVerified: vouched != nil)
        }
        for name in Self.written { profile.attributes[name] = attributes[name] }
        return profile
    }
}
