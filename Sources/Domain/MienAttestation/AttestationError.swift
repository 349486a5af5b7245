public import MienCore

/// A claim about a key or a device was not proved. Branch on ``code``; ``reason`` says what was
/// wrong and what is allowed, for a log.
public struct AttestationError: CodedError {
    /// Stable words: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        // What every kind has.
        /// Not the CBOR, or not the members, that were expected.
        case form = "attestation.form"
        case authenticatorData = "attestation.authenticator-data"
        /// A key that is not taken here.
        case key = "attestation.key"
        /// The relying party (application) it was made for is another.
        case relyingParty = "attestation.relying-party"
        case challenge = "attestation.challenge"
        case signature = "attestation.signature"
        /// The attested key is not the key of the certificate.
        case keyMismatch = "attestation.key-mismatch"
        case counter = "attestation.counter"

        // Chains of certificates.
        case certificate = "attestation.certificate"
        case chainLength = "attestation.chain-length"
        case chainNotYetValid = "attestation.chain-not-yet-valid"
        case chainExpired = "attestation.chain-expired"
        /// One certificate is not by the next.
        case chainBroken = "attestation.chain-broken"
        case chainAuthority = "attestation.chain-authority"
        case chainPathLength = "attestation.chain-path-length"
        /// A critical extension that is not understood.
        case chainCritical = "attestation.chain-critical"
        case chainAlgorithm = "attestation.chain-algorithm"
        case chainUntrusted = "attestation.chain-untrusted"
        case revoked = "attestation.revoked"

        // Apple App Attest.
        case appleFormat = "apple.format"
        case appleNonceMissing = "apple.nonce-missing"
        /// The certificate was made for other data or another challenge.
        case appleNonce = "apple.nonce"
        case appleKeyID = "apple.key-id"
        case appleCredentialID = "apple.credential-id"
        case appleEnvironment = "apple.environment"

        // Android key attestation.
        case androidNoExtension = "android.no-extension"
        case androidExtension = "android.extension"
        /// Certificates below the attested key's: whoever has that key made them.
        case androidExtended = "android.extended"
        case androidSoftwareRoot = "android.software-root"
        case androidSecurityLevel = "android.security-level"
        case androidPurpose = "android.purpose"
        case androidOrigin = "android.origin"
        case androidRootOfTrust = "android.root-of-trust"
        case androidUnlocked = "android.unlocked"
        case androidBootState = "android.boot-state"
        case androidUserAuthentication = "android.user-authentication"
        case androidApplication = "android.application"
        case androidPatchLevel = "android.patch-level"
        case androidStatusList = "android.status-list"

        // WebAuthn.
        case clientData = "webauthn.client-data"
        case ceremony = "webauthn.ceremony"
        case origin = "webauthn.origin"
        case crossOrigin = "webauthn.cross-origin"
        case userPresence = "webauthn.user-presence"
        case userVerification = "webauthn.user-verification"
        case backup = "webauthn.backup"
        case algorithm = "webauthn.algorithm"
        case format = "webauthn.format"
        /// Members of an attestation statement.
        case statement = "webauthn.statement"
        /// The attestation certificate is not as its format demands.
        case statementCertificate = "webauthn.statement-certificate"
        case aaguid = "webauthn.aaguid"
        case tpm = "webauthn.tpm"
        case credential = "webauthn.credential"
        /// The attestation proves less than is asked.
        case insufficient = "webauthn.insufficient"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
