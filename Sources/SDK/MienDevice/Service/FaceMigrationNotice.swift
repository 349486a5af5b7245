public import MienCore
public import MienFace
public import MienVault

/// A notice that a person whom another model pack enrolled was recognized live. Show it to the
/// person: a migration that they did not cause means that somebody else was recognized as them.
public struct FaceMigrationNotice: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// A new template has taken the old one's place. The old one is erased at `keptUntil`.
        case migrated(TemplateMigration.Ground, keptUntil: Instant)
        /// The old template stays. ``FaceAuthService/confirmMigration(of:pin:)`` replaces it within
        /// 60 seconds.
        case waiting
        /// The new template could not be stored, so the old one stays until the next capture.
        case failed
    }

    public let person: PersonName
    /// The pack that enrolled the person, and the one in use.
    public let from: PackID, to: PackID
    public let outcome: Outcome
}

/// A replaced template that is still kept.
public struct FormerFace: Sendable, Hashable {
    public let person: PersonName
    public let packID: PackID
    /// The time from which on it is erased.
    public let keptUntil: Instant
}
