public import MienCore

/// The reason a claim about a key or a device is not proved. Branch on ``code``. ``reason`` says
/// what was wrong and what is allowed, for a log.
public struct AttestationError: CodedError {
    /// Stable codes: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        // Common to all kinds of attestation.
        /// The data is not the expected CBOR or lacks expected members.
        case form = "attestation.form"
        case authenticatorData = "attestation.authenticator-data"
        /// The key is not supported.
        case key = "attestation.key"
        /// The attestation was created for another relying party (application).
        case relyingParty = "attestation.relying-party"
        case challenge = "attestation.challenge"
        case signature = "attestation.signature"
        /// The attested key is not the key of the certificate.
        case keyMismatch = "attestation.key-mismatch"
        case counter = "attestation.counter"

        // Certificate chains.
        case certificate = "attestation.certificate"
        /// A certificate's key or signature is of an algorithm that is not supported, such as
        /// ML-DSA.
        case certificateAlgorithm = "attestation.algorithm"
        case chainLength = "attestation.chain-length"
        case chainNotYetValid = "attestation.chain-not-yet-valid"
        case chainExpired = "attestation.chain-expired"
        /// A certificate is not issued by the next one.
        case chainBroken = "attestation.chain-broken"
        case chainAuthority = "attestation.chain-authority"
        case chainPathLength = "attestation.chain-path-length"
        /// A critical extension is not supported.
        case chainCritical = "attestation.chain-critical"
        case chainAlgorithm = "attestation.chain-algorithm"
        case chainUntrusted = "attestation.chain-untrusted"
        case revoked = "attestation.revoked"

        // Apple App Attest.
        case appleFormat = "apple.format"
        case appleNonceMissing = "apple.nonce-missing"
        /// The certificate was created for other data or another challenge.
        case appleNonce = "apple.nonce"
        case appleKeyID = "apple.key-id"
        case appleCredentialID = "apple.credential-id"
        case appleEnvironment = "apple.environment"

        // Android key attestation.
        case androidNoExtension = "android.no-extension"
        case androidExtension = "android.extension"
        /// Certificates below the attested key's, which the holder of that key created.
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
        /// The members of an attestation statement are invalid.
        case statement = "webauthn.statement"
        /// The attestation certificate does not meet the requirements of its format.
        case statementCertificate = "webauthn.statement-certificate"
        case aaguid = "webauthn.aaguid"
        case tpm = "webauthn.tpm"
        case credential = "webauthn.credential"
        /// The attestation proves less than required.
        case insufficient = "webauthn.insufficient"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
