internal import Crypto
internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienKeys
internal import MienStore

/// Device keys protected by biometrics. They share their records with the biometric grant.
extension EffectPerformer {
    func registerKey(_ user: UserID, _ new: DeviceKeyRegistration, _ context: EffectContext)
        async throws -> EffectAnswer
    {
        let settings = context.app.settings.biometric
        // Use up the challenge first in any case. Only an attestation requires that it is still
        // fresh.
        let isFresh = try await challenges.take(
            new.challenge.text, for: .journey, binding: context.run.text)
        guard settings.isEnabled else { return .refused(.notAllowed) }
        guard DeviceKeyService.isKeyID(new.publicKeyID), let key = Self.key(new.publicKey) else {
            return .refused(.invalidKey)
        }
        let claim = AttestationJudge.Claim(key: key, challenge: new.challenge.text, user: user),
            attestation: ProvedAttestation?
        do {
            attestation = try await proved(new.attestation, claim, isFresh, context)
        } catch is AttestationJudge.Refusal {
            return .refused(.attestationRefused)
        }
        // The device token stands for the device, since the step's client sends no device ID.
        let wanted = DeviceKeyService.NewKey(
            id: new.publicKeyID, key: key,
            device: context.device(of: user).map { "known-device \($0.text)" },
            name: new.os, system: new.os.lowercased(), attestation: attestation,
            userVerification: new.userVerification.flatMap(KeyUserVerification.init(rawValue:)))
        do {
            let made = try await deviceKeys.register(
                wanted, of: user, app: context.app, actor: "journey", context.standing(of: user))
            return .deviceKeyRegistered(
                user, publicKeyID: new.publicKeyID,
                replacing: made.replaced.map { AuthenticatorReplacement(of: $0, with: made.id) })
        } catch let refusal as DeviceKeyService.Refusal {
            switch refusal {
            case .keyIDTaken: return .refused(.keyIDTaken)
            case .tooMany: return .refused(.limitReached)
            case .locked, .userMissing: return .refused(.notAllowed)
            }
        }
    }

    /// - Parameter isFresh: Whether the challenge was still valid.
    private func proved(
        _ text: String?, _ claim: AttestationJudge.Claim, _ isFresh: Bool, _ context: EffectContext
    ) async throws -> ProvedAttestation? {
        guard context.app.settings.biometric.attestation != .none else { return nil }
        let given: DeviceAttestation?
        do { given = try text.map { try DeviceAttestation(text: $0) } } catch let error
            as MalformedAttestation
        {
            try await attestations.refuse(.malformed, nil, claim, context.app, "journey")
            throw AttestationJudge.Refusal(reason: "the attestation \(error.reason)")
        }
        return try await attestations.judge(
            given, claim, isFresh: isFresh, app: context.app, actor: "journey")
    }

    /// Parses a public key as devices send it: SubjectPublicKeyInfo, or RSAPublicKey of PKCS#1, in
    /// base64 or PEM; the 65 bytes of a P-256 point in base64; or a JWK.
    static func key(_ text: String) -> DevicePublicKey? {
        if text.hasPrefix("{") {
            return (try? JSONText.parse(text)).flatMap { try? DevicePublicKey(jwk: $0) }
        }
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        guard let bytes = Self.base64(lines.joined()) else { return nil }
        if bytes.count == 65, bytes[0] == 4 {
            return try? DevicePublicKey(.p256(x: Array(bytes[1...32]), y: Array(bytes[33...])))
        }
        if let key = try? DevicePublicKey(spki: bytes) { return key }
        return try? DevicePublicKey(pkcs1: bytes)
    }

    /// Decodes base64 in either alphabet, with or without padding.
    private static func base64(_ text: String) -> [UInt8]? {
        Base64URL.decode(
            text.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" })
    }

    /// Returns a challenge, whether or not the user exists.
    func challenge(
        _ purpose: DeviceKeyPurpose, for user: UserReference? = nil, _ context: EffectContext
    ) async throws -> EffectAnswer {
        let token = try await challenges.make(for: .journey, binding: context.run.text).token
        guard let id = ChallengeID(token) else { return .refused(.unavailable) }
        return .deviceChallenge(
            id, challenge: Self.challengeText(id, purpose),
            names: purpose == .registration ? try await names(of: user, context) : [])
    }

    /// Returns the names under which the signed-in user signs in, so that the device can find the
    /// key by each of them.
    private func names(of user: UserReference?, _ context: EffectContext) async throws -> [String] {
        guard case .id(let id)? = user, context.signedIn == id,
            let account = try await account(.id(id), context)
        else { return [] }
        return account.profile.use { [$0.username, $0.email, $0.externalID].compactMap { $0 } }
    }

    /// Returns the text that the device signs or has a new key attested with, as UTF-8.
    ///
    /// A transaction's data is included:
    /// `<challenge>.<SHA-256 of the data, as JSON with sorted keys>`.
    static func challengeText(_ id: ChallengeID, _ purpose: DeviceKeyPurpose) -> String {
        switch purpose {
        case .authentication, .registration: return id.text
        case .transaction(let data):
            let canonical = JSONText.write(.object(data.mapValues { .string($0) }))
            return "\(id.text).\(Base64URL.encode(SHA256.hash(data: Array(canonical.utf8))))"
        }
    }

    func verify(_ user: UserReference, _ proof: DeviceKeyProof, _ context: EffectContext)
        async throws -> EffectAnswer
    {
        let text = Self.challengeText(proof.challenge, proof.purpose)
        let isFresh = try await challenges.take(
            proof.challenge.text, for: .journey, binding: context.run.text)
        let isRepeated = proof.challengeText?.use { $0 == text } ?? true
        let found = try await account(user, context)
        // If the app has disabled biometric login, registered keys are refused as well.
        guard context.app.settings.biometric.isEnabled, isFresh, isRepeated,
            try await mayGuess(user, found, .nativeBiometrics, context),
            let account = found, let signature = proof.signature.use({ Self.base64($0) })
        else { return try await refuse(.nativeBiometrics, nil, context) }
        // Apple's and Android's key stores encode ES256 signatures in DER; the web sends 64 raw
        // bytes.
        let form: ES256Signature.Form = signature.count == 64 ? .raw : .der
        let verdict = try await deviceKeys.verify(
            proof.publicKeyID, of: account.id, app: context.app, device: context.knownDevice,
            unlock: proof.unlock, actor: "journey"
        ) { $0.isValid(signature, over: Array(text.utf8), form: form) }
        guard case .owner(let owner) = verdict else { return .refused(.invalidCredentials) }
        try await note(
            "\(AuthenticatorType.nativeBiometrics.rawValue).accepted", account.id, context, [:])
        return .authenticated(
            owner.account, amr: owner.methods,
            by: AuthenticatorUse(owner.authenticator, epoch: owner.epoch))
    }

    func deleteKey(_ user: UserID, _ keyID: String?, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        do {
            let count = try await deviceKeys.delete(
                keyID, of: user, app: context.app.id, actor: "journey")
            return count > 0 ? .done : .refused(.notRegistered)
        } catch is DeviceKeyService.Refusal { return .refused(.notAllowed) }
    }
}
