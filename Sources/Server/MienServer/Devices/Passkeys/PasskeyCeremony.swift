internal import MienAPI
internal import MienAttestation
internal import MienCore
internal import MienKeys

/// The part of WebAuthn that passkeys of users and of administrators share.
struct PasskeyCeremony: Sendable {
    let relyingParty: RelyingParty
    let challenges: ChallengeService
    let signatures: SignatureQueue

    // MARK: Registering

    /// Returns the options for `navigator.credentials.create`.
    ///
    /// - Parameters:
    ///   - handle: The user handle given to authenticators. Contains no personal data.
    ///   - known: Descriptors of the user's credentials.
    ///   - residentKey: `required` if the credential must be found without a name.
    ///   - binding: Pass the same purpose and binding to ``register(_:for:binding:share:at:)``.
    func registrationOptions(
        handle: [UInt8], name: String, known: [JSONValue], residentKey: String,
        attestation: String, for purpose: ChallengeService.Purpose, binding: String
    ) async throws -> JSONValue {
        let challenge = try await challenges.make(for: purpose, binding: binding).token
        let algorithms = [-7, -8, -257].map { number -> JSONValue in
            ["type": "public-key", "alg": .number(Double(number))]
        }
        return [
            "publicKey": [
                "rp": ["id": .string(relyingParty.id), "name": .string(relyingParty.id)],
                "user": [
                    "id": .string(Base64URL.encode(handle)),
                    "name": .string(name), "displayName": .string(name),
                ],
                "challenge": .string(Base64URL.encode(Array(challenge.utf8))),
                "pubKeyCredParams": .array(algorithms),
                "timeout": .number(Double(ChallengeService.lifetime.milliseconds)),
                "excludeCredentials": .array(known),
                "authenticatorSelection": [
                    "residentKey": .string(residentKey),
                    "requireResidentKey": .bool(residentKey == "required"),
                    "userVerification": "required",
                ],
                "attestation": .string(attestation),
            ]
        ]
    }

    /// Uses up the challenge of a new credential, and verifies the credential.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` that names the invalid part.
    func register(
        _ credential: BrowserCredential, for purpose: ChallengeService.Purpose, binding: String,
        share: WorkShare, at now: Instant
    ) async throws -> RegisteredCredential {
        guard let challenge = credential.challenge,
            try await challenges.take(
                String(decoding: challenge, as: UTF8.self), for: purpose, binding: binding)
        else {
            throw Problem(
                .invalidRequest,
                "The challenge is invalid, expired, or was already used. Request new options.")
        }
        let object = try credential.bytes("attestationObject"), new: RegisteredCredential
        do {
            new = try await signatures.run(for: share) {
                try RegistrationVerifier(relyingParty: relyingParty).verify(
                    clientDataJSON: credential.clientDataJSON, attestationObject: object,
                    challenge: challenge, at: now)
            }
        } catch let error as AttestationError {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "credential.response", message: error.description)])
        }
        guard new.id == credential.id else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "credential.rawId",
                        message: "must be the ID in the attestation object")
                ])
        }
        return new
    }

    // MARK: Signing in

    /// Returns the options for `navigator.credentials.get`.
    ///
    /// - Parameter allowed: Descriptors of credentials; none lets the browser offer what it finds.
    func signInOptions(
        allowing allowed: [JSONValue] = [], for purpose: ChallengeService.Purpose,
        binding: String = ""
    ) async throws -> JSONValue {
        let challenge = try await challenges.make(for: purpose, binding: binding).token
        return [
            "publicKey": [
                "rpId": .string(relyingParty.id),
                "challenge": .string(Base64URL.encode(Array(challenge.utf8))),
                "allowCredentials": .array(allowed),
                "timeout": .number(Double(ChallengeService.lifetime.milliseconds)),
                "userVerification": "required",
            ]
        ]
    }

    /// Verifies the response to a challenge that is used up.
    ///
    /// - Throws: `AttestationError` if the response is wrong.
    func verify(
        _ response: AuthenticationVerifier.Response, with passkey: Passkey, handle: [UInt8],
        challenge: [UInt8], share: WorkShare
    ) async throws -> WebAuthnAuthentication {
        try await signatures.check(with: passkey.key, for: share) {
            try AuthenticationVerifier(relyingParty: relyingParty).verify(
                response,
                credential: .init(
                    id: passkey.id, key: passkey.key, counter: passkey.counter,
                    isBackupEligible: passkey.isBackupEligible, userHandle: handle),
                challenge: challenge)
        }
    }
}

extension BrowserCredential {
    /// The response of a sign-in.
    func assertion() throws(Problem) -> AuthenticationVerifier.Response {
        AuthenticationVerifier.Response(
            credentialID: id, clientDataJSON: clientDataJSON,
            authenticatorData: try bytes("authenticatorData"), signature: try bytes("signature"),
            userHandle: try userHandle())
    }
}
