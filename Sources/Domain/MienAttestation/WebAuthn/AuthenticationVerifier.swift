internal import Crypto
public import MienKeys

/// Verifies a browser's response with a known credential (WebAuthn §7.2). Pure: the caller draws
/// the challenge and uses it once.
public struct AuthenticationVerifier: Sendable {
    /// A stored credential.
    public struct Credential: Sendable, Hashable {
        public let id: [UInt8]
        public let key: DevicePublicKey
        public let counter: UInt32
        public let isBackupEligible: Bool
        /// The ID that the user got at registration. The authenticator must return the same one.
        public let userHandle: [UInt8]?

        public init(
            id: [UInt8], key: DevicePublicKey, counter: UInt32, isBackupEligible: Bool,
            userHandle: [UInt8]? = nil
        ) {
            (self.id, self.key, self.counter, self.isBackupEligible) = (
                id, key, counter, isBackupEligible
            )
            self.userHandle = userHandle
        }
    }

    /// The browser's response, decoded but otherwise unchanged.
    public struct Response: Sendable, Hashable {
        public var credentialID, clientDataJSON, authenticatorData, signature: [UInt8]
        public var userHandle: [UInt8]?

        public init(
            credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8],
            signature: [UInt8], userHandle: [UInt8]? = nil
        ) {
            (self.credentialID, self.clientDataJSON) = (credentialID, clientDataJSON)
            (self.authenticatorData, self.signature, self.userHandle) = (
                authenticatorData, signature, userHandle
            )
        }
    }

    public let relyingParty: RelyingParty

    public init(relyingParty: RelyingParty) { self.relyingParty = relyingParty }

    /// - Throws: ``AttestationError``, but not for a counter that has not grown:
    ///   ``WebAuthnAuthentication/counter`` reports it, and the caller decides.
    public func verify(_ response: Response, credential: Credential, challenge: [UInt8])
        throws(AttestationError) -> WebAuthnAuthentication
    {
        guard response.credentialID == credential.id else {
            throw AttestationError(
                .credential, "the response is from another credential")
        }
        // An empty handle is none: a handle has at least one byte.
        if let handle = response.userHandle, !handle.isEmpty, let known = credential.userHandle,
            handle != known
        {
            throw AttestationError(
                .credential, "the authenticator returned another user for this credential")
        }
        let client = try ClientData(
            response.clientDataJSON, ceremony: .authentication, challenge: challenge,
            relyingParty: relyingParty)
        let data = try AuthenticatorData(response.authenticatorData)
        try relyingParty.check(data)
        guard data.flags.contains(.backupEligible) == credential.isBackupEligible else {
            throw AttestationError(
                .backup, "the backup eligibility of the key changed")
        }
        guard
            credential.key.isValid(
                response.signature, over: response.authenticatorData + client.hash, form: .der)
        else {
            throw AttestationError(
                .signature, "the signature does not match this credential and response")
        }
        return WebAuthnAuthentication(
            counter: SignatureCounter(stored: credential.counter, received: data.counter),
            isUserVerified: data.flags.contains(.userVerified),
            isBackedUp: data.flags.contains(.backedUp))
    }
}

/// The credential's holder answered this challenge.
public struct WebAuthnAuthentication: Sendable, Hashable {
    public let counter: SignatureCounter
    public let isUserVerified: Bool
    public let isBackedUp: Bool
}
