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
    case captureHandover = "the move of a capture to another device"
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
    case verificationHandover = "the move of a verification session to another device"
    case review = "a review"
    case duplicateCase = "a case of duplicate faces"
    case userNameInvitation = "an invitation of a user name"
    case addressInvitation = "an invitation of an address"
    case organizationToken = "a journey's token of an organization"
    case administratorSetup = "a setup code of an administrator"
    case administratorInvitation = "an invitation of an administrator"
    /// The last one: the test waits until it is due.
    case delivery = "a message to an app, not delivered yet"

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
        case .capture, .captureHandover: return [.deleted, .remadeApp]
        case .registrationCode, .approval, .browserSession, .verification, .verificationLink,
            .verificationHandover:
            return account.union([.remadeApp])
        case .review: return [.deleted]
        case .duplicateCase: return [.deleted, .withdrawn, .remadeApp]
        case .administratorSetup: return [.deleted, .compromised, .removedRole]
        case .administratorInvitation: return [.compromised, .removedRole]
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

    /// The changes that cannot happen to it. Administrators have accounts of their own, without an
    /// address, an app, or an organization, and the one who is invited has none yet.
    var excluded: Set<AccountChange> {
        let own: Set<AccountChange> = [.deleted, .compromised, .allEnded, .removedRole]
        return switch self {
        case .administratorSetup: Set(AccountChange.allCases).subtracting(own)
        case .administratorInvitation:
            Set(AccountChange.allCases).subtracting(own.subtracting([.deleted]))
        default: []
        }
    }

    /// The row of the table in docs/threat-model.md.
    var row: String {
        let cells = AccountChange.allCases.map {
            excluded.contains($0) ? "n/a" : ends.contains($0) ? "ends" : "–"
        }
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
        Waiting.allCases.filter { !$0.excluded.contains(change) }.map {
            WaitingCell(waiting: $0, change: change)
        }
    }

    var testDescription: String { "\(waiting.rawValue) × \(change.rawValue)" }
}
