public import MienCore

/// A kind of request to the admin API.
public enum AdminPermission: String, Sendable, CaseIterable {
    /// The caller's own name and role. Every administrator may ask.
    case readSelf
    /// The caller's own sign-in methods and sessions. Every administrator may change them.
    case changeSelf
    /// Counts and times of the server's work, without anything personal. Every administrator may
    /// ask.
    case readMetrics
    /// Apps, journeys, product keys, and model packs.
    case readConfiguration, changeConfiguration
    /// Users, their authenticators, and their consents.
    case readUsers, changeUsers
    /// How a user's identity was verified, without personal data; evidence.
    case readVerifications
    case changeVerifications
    /// Unclear identities, with the personal data and pictures that people sent.
    case reviewIdentities
    /// The number of people in the reference registry.
    case readRegistry
    /// The people in the reference registry.
    case changeRegistry
    case readAudit
    /// Removing entries of the audit log.
    case pruneAudit
    case readAdministrators, changeAdministrators
    /// The use of the master keys; their rotation and removal.
    case readMasterKeys, changeMasterKeys
}

extension AdminRole {
    /// Returns what the role's credentials open.
    public var permissions: Set<AdminPermission> {
        switch self {
        case .owner: Set(AdminPermission.allCases)
        case .operator:
            [
                .readSelf, .changeSelf, .readMetrics, .readConfiguration, .changeConfiguration,
                .readUsers,
                .changeUsers,
                .readVerifications, .changeVerifications, .readRegistry, .changeRegistry,
                .readAudit, .readMasterKeys,
            ]
        case .reviewer:
            [.readSelf, .changeSelf, .readMetrics, .readVerifications, .reviewIdentities]
        case .auditor:
            [
                .readSelf, .changeSelf, .readMetrics, .readConfiguration, .readUsers,
                .readVerifications,
                .readRegistry,
                .readAudit, .readAdministrators, .readMasterKeys,
            ]
        }
    }
}
