internal import Crypto
internal import Foundation
internal import Logging
internal import MienAccess
internal import MienAttestation
internal import MienCore
internal import MienKeys
internal import MienStore

/// Holds an app's policy against what a client gives with a new key.
struct AttestationJudge: Sendable {
    /// Nothing was proved. The audit log has the code.
    struct Refusal: Error {
        let reason: String
    }

    let store: Store
    let clock: ServerClock
    /// Google's and Apple's come with the library; an operator may add some.
    private let android, apple: [TrustAnchor]
    private let revoked: StatusListFile?
    private let signatures: SignatureQueue

    /// - Throws: ``ConfigurationError`` when the operator's files are not what the settings say.
    init(
        _ configuration: ServerConfiguration, store: Store, clock: ServerClock, logger: Logger,
        signatures: SignatureQueue
    ) throws {
        (self.store, self.clock, self.signatures) = (store, clock, signatures)
        let own = try configuration.attestationRoots.map { try Self.roots($0) } ?? []
        (android, apple) = (
            TrustAnchor.androidKeyAttestation + own, TrustAnchor.appleAppAttest + own
        )
        revoked = try configuration.attestationRevoked.map {
            try StatusListFile(path: $0, logger: logger)
        }
    }

    private static func roots(_ path: String) throws(ConfigurationError) -> [TrustAnchor] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ConfigurationError([
                "attestation.roots: \(path) cannot be read; check the path and its permissions"
            ])
        }
        do { return try TrustAnchor.read(pem: String(decoding: data, as: UTF8.self)) } catch {
            throw ConfigurationError([
                "attestation.roots: \(path) holds certificates in PEM form and nothing else: \(error.reason)"
            ])
        }
    }

    /// What is asked of a new key, and what came with it.
    struct Claim: Sendable {
        let key: DevicePublicKey
        /// As the server gave it out, fresh.
        let challenge: String
        let user: UserID
    }

    /// - Parameter isFresh: whether the challenge was ours, unused and in time.
    /// - Returns: `nil` where the app does not ask, or leaves it to the client and nothing came.
    /// - Throws: ``Refusal`` when the app's policy is not kept.
    func judge(
        _ given: DeviceAttestation?, _ claim: Claim, isFresh: Bool = true, app: AppRecord,
        actor: String
    ) async throws -> ProvedAttestation? {
        let settings = app.settings.biometric
        guard settings.attestation != .none else { return nil }
        guard let given else {
            guard settings.attestation == .required else { return nil }
            try await refuse(.missing, nil, claim, app, actor)
            throw Refusal(reason: "this app takes attested keys only: send “attestation”")
        }
        do {
            guard isFresh else {
                throw AttestationError(
                    .challenge, "the challenge was used or has expired: ask for a new one")
            }
            switch given {
            case .androidKey(let chain):
                let statuses = await revoked?.current()
                return try await signatures.run(for: .signedIn(claim.user)) {
                    ProvedAttestation(try verify(chain, claim, settings, statuses: statuses))
                }
            case .appleAppAttest(let object, let keyID):
                return try await signatures.run(for: .signedIn(claim.user)) {
                    ProvedAttestation(try verify(object, keyID, claim, settings))
                }
            }
        } catch let error as AttestationError {
            try await refuse(.code(error.code), given.format, claim, app, actor)
            throw Refusal(reason: "the attestation is refused, \(error)")
        }
    }

    // MARK: Formats

    private func verify(
        _ chain: [[UInt8]], _ claim: Claim, _ settings: BiometricSettings,
        statuses: AndroidStatusList?
    ) throws(AttestationError) -> AndroidAttestedKey {
        guard !settings.androidApps.isEmpty else {
            throw AttestationError(
                .androidApplication,
                "this app takes no android-key attestations: its settings list no android_apps")
        }
        let result = try AndroidKeyAttestation.verify(
            chain: chain, challenge: Array(claim.challenge.utf8),
            policy: AndroidKeyPolicy(settings), anchors: android, statuses: statuses,
            at: clock.now)
        try Self.check(result.description, settings.androidApps)
        guard result.key == claim.key else {
            throw AttestationError(
                .keyMismatch, "the attested key is not the one that is registered")
        }
        return result
    }

    /// The policy holds packages and signers apart; here each package is by its own signers.
    private static func check(_ description: KeyDescription, _ apps: [AndroidApp])
        throws(AttestationError)
    {
        let application =
            description.hardwareEnforced.application ?? description.softwareEnforced.application
        let isListed =
            application.map { application in
                application.packages.allSatisfy { package in
                    let signers = Set(
                        apps.filter { $0.package == package.name }.flatMap(\.signatureDigests)
                            .compactMap(AndroidApp.digest))
                    return application.signatures.allSatisfy(signers.contains)
                }
            } ?? false
        guard isListed else {
            throw AttestationError(.androidApplication, "the app is signed by somebody else")
        }
    }

    private func verify(
        _ object: [UInt8], _ keyID: [UInt8], _ claim: Claim, _ settings: BiometricSettings
    ) throws(AttestationError) -> AppAttestedKey {
        let bound = Array("\(claim.challenge).\(claim.key.thumbprint)".utf8)
        let environments: Set<AppAttest.Environment> =
            settings.takesAppleDevelopment ? [.production, .development] : [.production]
        var refusal = AttestationError(
            .relyingParty,
            "this app takes no apple-appattest attestations: its settings list no apple_apps")
        for case (let team, let bundle)? in settings.appleApps.map(BiometricSettings.appleApp) {
            do throws(AttestationError) {
                return try AppAttest.verifyAttestation(
                    object, keyID: keyID, clientDataHash: Array(SHA256.hash(data: bound)),
                    app: .init(team: team, bundle: bundle),
                    environments: environments, anchors: apple, at: clock.now)
            } catch {
                refusal = error
                // The next may be the one.
                guard error.code == .relyingParty else { break }
            }
        }
        throw refusal
    }

    // MARK: What is told

    enum Cause {
        case missing, malformed
        case code(AttestationError.Code)

        var text: String {
            switch self {
            case .missing: "attestation.missing"
            case .malformed: AttestationError.Code.form.rawValue
            case .code(let code): code.rawValue
            }
        }
    }

    /// For administrators; without the chain.
    func refuse(
        _ cause: Cause, _ format: DeviceAttestation.Format?, _ claim: Claim, _ app: AppRecord,
        _ actor: String
    ) async throws {
        var detail: [String: JSONValue] = ["code": .string(cause.text)]
        detail["format"] = format.map { .string($0.rawValue) }
        let now = clock.now
        let event = AuditEvent(
            "native_biometrics.attestation_refused", actor: actor, account: claim.user, app: app.id,
            detail: detail)
        try await store.write { try $0.audit.append(event, at: now) }
    }
}

extension AndroidKeyPolicy {
    /// As an app's settings have it. The maker's system on a locked boot loader is always asked
    /// for: on another the rest is worth nothing.
    init(_ settings: BiometricSettings) {
        self.init()
        minimumLevel =
            switch settings.androidLevel {
            case .trustedEnvironment: .trustedEnvironment
            case .strongBox: .strongBox
            }
        userAuthentication =
            switch settings.androidUserAuthentication {
            case .biometric: .biometric
            case .biometricOnly: .biometricOnly
            case .any: .any
            }
        packages = Set(settings.androidApps.map(\.package))
        signatures = Set(
            settings.androidApps.flatMap(\.signatureDigests).compactMap(AndroidApp.digest))
    }
}
