import Testing

/// Things that wait for an answer. Each names the account, the app, or the organization that it
/// belongs to.
enum Waiting: String, CaseIterable, Sendable {
    case mailedCode = "a mailed code"
    case mailQueue = "its mail, not delivered yet"
    case mailedLink = "a mailed link"
    case recovery = "a pending recovery"
    case run = "a run, after the password"
    case runByMail = "a run, after a mailed code"
    case capture = "a capture"
    case journeyToken = "a journey's token"
    case permission = "the permission of an app of others"
    case authorizationCode = "an authorization code"
    /// Answered after the permission, which it gives.
    case permissionPage = "the question of an app of others"
    case registrationCode = "a registration code of a device"
    case approval = "a request for approval"
    case device = "a known device"
    case browserSession = "a session of a browser"
    case appSignIn = "a sign-in of an app of others"
    case verification = "a verification session"
    case verificationLink = "the link to a verification session"
    case review = "a review"
    case delivery = "a message to an app, not delivered yet"
    case userNameInvitation = "an invitation of a user name"
    case addressInvitation = "an invitation of an address"
    case organizationToken = "a journey's token of an organization"

    /// The changes that end it. After any other change, it acts for the same account as before.
    var ends: Set<AccountChange> {
        let ended: Set<AccountChange> = [.suspended, .compromised, .allEnded, .othersEnded]
        let account = ended.union([.deleted])
        let address: Set<AccountChange> = [
            .otherAddress, .noAddress, .unverified, .addressAndBack,
        ]
        switch self {
        case .mailedCode: return account.union(address).union([.renamed, .remadeApp])
        case .mailQueue: return account.union(address).union([.renamed])
        case .mailedLink: return address.union([.deleted])
        case .recovery:
            return address.union([.deleted, .suspended, .compromised, .remadeApp])
        case .runByMail: return account.union(address).union([.remadeApp])
        case .run, .journeyToken, .permissionPage: return account.union([.remadeApp])
        case .authorizationCode: return account.union([.remadeApp, .withdrawn])
        case .permission:
            return [.deleted, .compromised, .allEnded, .othersEnded, .remadeApp, .withdrawn]
        case .appSignIn: return account.union([.remadeApp, .withdrawn])
        case .capture: return [.deleted, .remadeApp]
        case .registrationCode, .approval, .browserSession, .verification, .verificationLink:
            return account.union([.remadeApp])
        case .review: return [.deleted]
        case .delivery: return [.remadeApp]
        case .device: return [.deleted, .suspended, .compromised, .remadeApp]
        case .userNameInvitation: return [.deleted, .renamed, .removedRole, .remadeOrganization]
        case .addressInvitation:
            return address.subtracting([.addressAndBack])
                .union([.deleted, .removedRole, .remadeOrganization])
        case .organizationToken:
            return account.union([.remadeApp, .remadeOrganization])
        }
    }

    /// The row of the table in docs/threat-model.md.
    var row: String {
        let cells = AccountChange.allCases.map { ends.contains($0) ? "ends" : "–" }
        return "| \(rawValue) | \(cells.joined(separator: " | ")) |"
    }
}

/// A change of what something that waits belongs to. Somebody else then takes what is free again: a
/// name, an address, the ID of an app, the external ID of an organization.
enum AccountChange: String, CaseIterable, Sendable {
    case deleted = "account deleted"
    case renamed = "renamed"
    case otherAddress = "another address"
    case noAddress = "address removed"
    case unverified = "address unverified"
    case addressAndBack = "another address, and back"
    case suspended = "suspended, and active again"
    case compromised = "marked as compromised"
    case allEnded = "all sign-ins ended"
    case othersEnded = "all others ended"
    case withdrawn = "permission withdrawn"
    case removedRole = "inviter's role removed, and back"
    case remadeApp = "app made again"
    case remadeOrganization = "organization made again"

    static var heading: String {
        "| what waits | \(allCases.map(\.rawValue).joined(separator: " | ")) |"
    }
}

/// One cell of the table.
struct WaitingCell: Sendable, CustomTestStringConvertible {
    let waiting: Waiting
    let change: AccountChange

    static let all = AccountChange.allCases.flatMap { change in
        Waiting.allCases.map { WaitingCell(waiting: $0, change: change) }
    }

    var testDescription: String { "\(waiting.rawValue) × \(change.rawValue)" }
}
