internal import Crypto

/// The relying party that credentials are created for, and its requirements for user and browser.
public struct RelyingParty: Sendable, Hashable {
    public enum CrossOrigin: Sendable, Hashable {
        /// Only the relying party's own pages at the top of the window.
        case refused
        /// Also in a frame within pages of these origins. Browsers that do not report the outer
        /// page are refused.
        case within(Set<String>)
    }

    public enum Backup: Sendable, Hashable {
        case any
        /// Only keys that cannot leave their device.
        case deviceBoundOnly
    }

    /// A domain: `example.org`.
    public let id: String
    /// Scheme, host, and port as browsers write them, `https://login.example.org`; for Android apps
    /// `android:apk-key-hash:…`.
    public let origins: Set<String>
    public var crossOrigin: CrossOrigin = .refused
    /// Whether a PIN or biometric is required, not only a touch.
    public var requiresUserVerification = true
    public var backup: Backup = .any

    public init(id: String, origins: Set<String>) { (self.id, self.origins) = (id, origins) }

    /// Applies the rules of both ceremonies: WebAuthn §7.1 steps 13 to 18, §7.2 steps 15 to 19.
    func check(_ data: AuthenticatorData) throws(AttestationError) {
        guard SHA256.hash(data: Array(id.utf8)).elementsEqual(data.relyingPartyHash) else {
            throw AttestationError(
                .relyingParty, "the authenticator signed for a relying party other than \(id)")
        }
        guard data.flags.contains(.userPresent) else {
            throw AttestationError(.userPresence, "the user was not present")
        }
        guard !requiresUserVerification || data.flags.contains(.userVerified) else {
            throw AttestationError(
                .userVerification, "the user was not verified (PIN or biometric)")
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw AttestationError(.backup, "a key that cannot be backed up claims to be backed up")
        }
        guard backup == .any || !data.flags.contains(.backupEligible) else {
            throw AttestationError(
                .backup, "the key may leave its device, but a device-bound key is required")
        }
    }
}
