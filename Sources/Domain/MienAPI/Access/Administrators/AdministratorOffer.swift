public import MienCore

/// A one-time code with which a person chooses the sign-in methods of an administrator. Pure: the
/// time is an argument.
public struct AdministratorOffer: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// For an administrator who exists: the first one, or one who lost the sign-in methods. The
        /// new methods replace all others.
        case setup
        /// For a new administrator.
        case invitation

        /// How long the code is valid.
        public var lifetime: Duration {
            switch self {
            case .setup: .seconds(24 * 3600)
            case .invitation: .seconds(72 * 3600)
            }
        }
    }

    public let id: AdministratorOfferID
    public let kind: Kind
    /// The administrator whom the code sets up; for an invitation, the one who will be.
    public let subject: AdminID
    public let name: String
    public let role: AdminRole
    /// The administrator who made it; `nil` for the server itself, at its start.
    public let author: AdminID?
    public let createdAt: Instant
    /// Whether using the code also ends the credential that the administrator has: a person who lost the
    /// other ways in may have lost it to somebody.
    public let endsCredential: Bool

    public init(
        id: AdministratorOfferID, kind: Kind, subject: AdminID, name: String, role: AdminRole,
        author: AdminID?, createdAt: Instant, endsCredential: Bool = false
    ) {
        (self.id, self.kind, self.subject, self.name, self.role) = (id, kind, subject, name, role)
        (self.author, self.createdAt, self.endsCredential) = (author, createdAt, endsCredential)
    }

    public var expiresAt: Instant { createdAt + kind.lifetime }

    /// Whether the code may be used: it has not expired, and who made it could still make it. An
    /// owner who was removed or demoted leaves no way back in.
    ///
    /// - Parameter authorRole: the role of ``author`` now; `nil` if the administrator is gone.
    public func isOpen(at now: Instant, authorRole: AdminRole?) -> Bool {
        guard now < expiresAt else { return false }
        return author == nil || authorRole?.permissions.contains(.changeAdministrators) == true
    }
}
