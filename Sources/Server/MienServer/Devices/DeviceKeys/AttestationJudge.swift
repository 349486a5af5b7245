internal import Crypto
internal import Foundation
package import Logging
package import MienAPI
package import MienAttestation
internal import MienCore
internal import MienKeys
package import MienStore

/// Checks the attestation of a new key against the app's policy.
package struct AttestationJudge: Sendable {
    /// The attestation was refused. The audit log has the code.
    package struct Refusal: Error {
        let reason: String
    }

    let store: Store
    let clock: ServerClock
    /// Google's and Apple's roots come with the library. An operator may add others.
    private let android, apple: [TrustAnchor]
    private let revoked: StatusListFile?
    private let signatures: SignatureQueue

    /// - Throws: ``ConfigurationError`` if the operator's files are missing or malformed.
    package init(
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
                "attestation.roots: \(path) must contain PEM certificates and nothing else: \(error.reason)"
            ])
        }
    }

    /// A new key, and the challenge and user that its attestation must belong to.
    package struct Claim: Sendable {
        let key: DevicePublicKey
        /// The challenge as the server issued it.
        let challenge: String
        let user: UserID
    }

    /// - Parameter isFresh: Whether the challenge was this server's, unused, and not expired.
    /// - Returns: `nil` if the app ignores attestations, or if they are optional and the client
    ///   sent none.
    /// - Throws: ``Refusal`` if the attestation does not meet the app's policy.
    package func judge(
        _ given: DeviceAttestation?, _ claim: Claim, isFresh: Bool = true, app: AppRecord,
        actor: String
    ) async throws -> ProvedAttestation? {
        let settings = app.settings.biometric
        guard settings.attestation != .none else { return nil }
        guard let given else {
            guard settings.attestation == .required else { return nil }
            try await refuse(.missing, nil, claim, app, actor)
            throw Refusal(reason: "This app accepts attested keys only. Send “attestation”.")
        }
        do {
            guard isFresh else {
                throw AttestationError(
                    .challenge, "the challenge was used or has expired; request a new one")
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
            throw Refusal(reason: "The attestation was refused: \(error)")
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
                "this app accepts no android-key attestations: its settings list no android_apps")
        }
        let result = try AndroidKeyAttestation.verify(
            chain: chain, challenge: Array(claim.challenge.utf8),
            policy: AndroidKeyPolicy(settings), anchors: android, statuses: statuses,
            at: clock.now)
        try Self.check(result.description, settings.androidApps)
        guard result.key == claim.key else {
            throw AttestationError(
                .keyMismatch, "the attested key differs from the key to register")
        }
        return result
    }

    /// Requires each package to be signed by its own signers. The policy lists packages and signers
    /// separately and cannot check that.
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
            "this app accepts no apple-appattest attestations: its settings list no apple_apps")
        for case (let team, let bundle)? in settings.appleApps.map(BiometricSettings.appleApp) {
            do throws(AttestationError) {
                return try AppAttest.verifyAttestation(
                    object, keyID: keyID, clientDataHash: Array(SHA256.hash(data: bound)),
                    app: .init(team: team, bundle: bundle),
                    environments: environments, anchors: apple, at: clock.now)
            } catch {
                refusal = error
                // If it names another app, try the next one.
                guard error.code == .relyingParty else { break }
            }
        }
        throw refusal
    }

    // MARK: Refusals

    package enum Cause {
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

    /// Records a refusal in the audit log, without the certificate chain.
    package func refuse(
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
    /// Creates the policy from an app's settings. The manufacturer's system on a locked boot loader
    /// is always required; without it, the other properties prove nothing.
    package init(_ settings: BiometricSettings) {
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
