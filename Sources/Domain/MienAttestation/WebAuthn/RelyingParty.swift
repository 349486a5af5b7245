internal import Crypto

/// For whom credentials are made, and what is asked of the user and the browser each time.
public struct RelyingParty: Sendable, Hashable {
    public enum CrossOrigin: Sendable, Hashable {
        /// Only pages of ours at the top of the window.
        case refused
        /// Also in a frame within pages of these origins. A browser that does not tell the outer
        /// page is refused.
        case within(Set<String>)
    }

    public enum Backup: Sendable, Hashable {
        case any
        /// Keys that cannot leave their device.
        case deviceBoundOnly
    }

    /// A domain: `example.org`.
    public let id: String
    /// Scheme, host and port, as browsers write them, `https://login.example.org`; of Android apps
    /// `android:apk-key-hash:…`.
    public let origins: Set<String>
    public var crossOrigin: CrossOrigin = .refused
    /// Whether PIN or biometric is demanded, not only somebody's touch.
    public var requiresUserVerification = true
    public var backup: Backup = .any

    public init(id: String, origins: Set<String>) { (self.id, self.origins) = (id, origins) }

    /// Rules for both ceremonies: WebAuthn §7.1 steps 13 to 18, §7.2 steps 15 to 19.
    func check(_ data: AuthenticatorData) throws(AttestationError) {
        guard SHA256.hash(data: Array(id.utf8)).elementsEqual(data.relyingPartyHash) else {
            throw AttestationError(
                .relyingParty, "the authenticator signed for another relying party than \(id)")
        }
        guard data.flags.contains(.userPresent) else {
            throw AttestationError(.userPresence, "nobody was there")
        }
        guard !requiresUserVerification || data.flags.contains(.userVerified) else {
            throw AttestationError(
                .userVerification, "the user was not verified (PIN or biometric)")
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw AttestationError(.backup, "a key that cannot be backed up claims to be")
        }
        guard backup == .any || !data.flags.contains(.backupEligible) else {
            throw AttestationError(
                .backup, "the key may leave its device; keys bound to one are asked for")
        }
    }
}
