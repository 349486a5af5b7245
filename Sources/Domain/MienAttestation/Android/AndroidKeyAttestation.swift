public import MienCore
public import MienKeys
internal import X509

/// Verification of Android key attestation: the key store's statement, signed by a key of the
/// device's manufacturer or Google, that a key was created and stays in hardware.
public enum AndroidKeyAttestation {
    /// - Parameters:
    ///   - chain: DER, the key's own certificate first.
    ///   - challenge: the server's single-use challenge that the app passed to the key store.
    ///   - statuses: an offline copy of Google's status list; `nil` skips this check.
    /// - Throws: ``AttestationError``; its code names the rule that was broken.
    public static func verify(
        chain ders: [[UInt8]], challenge: [UInt8], policy: AndroidKeyPolicy = AndroidKeyPolicy(),
        anchors: [TrustAnchor] = TrustAnchor.androidKeyAttestation,
        statuses: AndroidStatusList? = nil, at now: Instant
    ) throws(AttestationError) -> AndroidAttestedKey {
        let chain = try CertificateChain(ders)
        try refuseSoftwareRoot(chain)
        let anchor = try chain.verify(anchors: anchors, at: now)
        try statuses?.check(chain)
        let description = try description(chain)
        guard description.challenge == challenge else {
            throw AttestationError(.challenge, "the attestation was created for another challenge")
        }
        try policy.check(description)
        return AndroidAttestedKey(
            key: try chain.leaf.deviceKey(), description: description, anchor: anchor.fingerprint)
    }

    /// Returns the description from the certificate nearest to the root that has one. The holder of
    /// an attested key can sign certificates with any extension below it.
    static func description(_ chain: CertificateChain) throws(AttestationError) -> KeyDescription {
        guard
            let index = chain.certificates.lastIndex(where: {
                $0.extensions[oid: KeyDescription.oid] != nil
            }),
            let value = chain.certificates[index].value(of: KeyDescription.oid)
        else {
            throw AttestationError(
                .androidNoExtension, "no certificate has extension \(KeyDescription.oid)")
        }
        guard index == 0 else {
            throw AttestationError(
                .androidExtended,
                "certificate \(index + 1) is the attested key's, but \(index) more are below it")
        }
        return try KeyDescription(der: value)
    }

    private static func refuseSoftwareRoot(_ chain: CertificateChain) throws(AttestationError) {
        guard let last = chain.certificates.last else { return }
        let names = [last.subject, last.issuer].map(\.description)
        guard !names.contains(where: { $0.contains("Android Keystore Software Attestation") })
        else {
            throw AttestationError(
                .androidSoftwareRoot,
                "the chain belongs to Android's software key store, whose private keys are public")
        }
    }
}

/// A key whose certificate leads to an anchor and whose description satisfies the policy.
public struct AndroidAttestedKey: Sendable, Hashable {
    public let key: DevicePublicKey
    public let description: KeyDescription
    /// The fingerprint of the root certificate that proved it.
    public let anchor: [UInt8]
}

extension AndroidKeyPolicy {
    /// - Throws: ``AttestationError`` for the first rule that `description` breaks.
    public func check(_ description: KeyDescription) throws(AttestationError) {
        try checkLevel(description)
        let hardware =
            minimumLevel == .software
            ? description.softwareEnforced.merged(with: description.hardwareEnforced)
            : description.hardwareEnforced
        guard hardware.purposes?.contains(2) == true else {
            throw AttestationError(.androidPurpose, "the key is not for signing")
        }
        guard hardware.origin == .generated else {
            throw AttestationError(.androidOrigin, "the key was not generated in its key store")
        }
        try checkBoot(hardware.rootOfTrust)
        try checkUserAuthentication(description, hardware)
        try checkApplication(description)
        if let minimumPatchLevel {
            guard let level = hardware.systemPatchLevel, level >= minimumPatchLevel else {
                throw AttestationError(
                    .androidPatchLevel,
                    "patch level \(hardware.systemPatchLevel ?? 0); at least \(minimumPatchLevel) is required"
                )
            }
        }
    }

    private func checkLevel(_ description: KeyDescription) throws(AttestationError) {
        let level = min(description.attestationSecurityLevel, description.keyMintSecurityLevel)
        guard level >= minimumLevel else {
            throw AttestationError(
                .androidSecurityLevel,
                "security level \(level.rawValue) (0 software, 1 TEE, 2 StrongBox); at least \(minimumLevel.rawValue) is required"
            )
        }
    }

    private func checkBoot(_ root: RootOfTrust?) throws(AttestationError) {
        guard boot != .any else { return }
        guard let root else {
            throw AttestationError(.androidRootOfTrust, "the attestation has no boot state")
        }
        guard root.isLocked else {
            throw AttestationError(.androidUnlocked, "the boot loader is unlocked")
        }
        guard root.state == .verified || (boot == .lockedOwnKey && root.state == .selfSigned) else {
            throw AttestationError(
                .androidBootState,
                "boot state \(root.state.rawValue) (0 verified, 1 own key, 2 unverified, 3 failed)")
        }
    }

    private func checkUserAuthentication(
        _ description: KeyDescription, _ hardware: AuthorizationList
    ) throws(AttestationError) {
        guard userAuthentication != .any else { return }
        guard !description.softwareEnforced.noAuthenticationRequired,
            !description.hardwareEnforced.noAuthenticationRequired
        else {
            throw AttestationError(
                .androidUserAuthentication, "the key requires no user authentication (503)")
        }
        guard let type = hardware.userAuthenticationType, type & 2 != 0 else {
            throw AttestationError(
                .androidUserAuthentication, "the key requires no biometric (504)")
        }
        guard userAuthentication == .biometric || type == 2 else {
            throw AttestationError(
                .androidUserAuthentication,
                "the key also accepts the device's credential (504 is \(type), not 2)")
        }
        guard description.softwareEnforced.authenticationTimeoutSeconds == nil,
            description.hardwareEnforced.authenticationTimeoutSeconds == nil
        else {
            throw AttestationError(
                .androidUserAuthentication,
                "the key does not require user authentication for each use (505)")
        }
    }

    private func checkApplication(_ description: KeyDescription) throws(AttestationError) {
        guard packages != nil || signatures != nil else { return }
        guard !description.softwareEnforced.allApplications,
            !description.hardwareEnforced.allApplications
        else {
            throw AttestationError(
                .androidApplication, "the key is available to all applications (600)")
        }
        guard
            let application = description.hardwareEnforced.application
                ?? description.softwareEnforced.application
        else {
            throw AttestationError(.androidApplication, "the key names no application (709)")
        }
        // Packages that share a user ID share keys, so all of them must be allowed.
        if let packages {
            guard !application.packages.isEmpty,
                application.packages.allSatisfy({ packages.contains($0.name) })
            else {
                throw AttestationError(.androidApplication, "the key belongs to another package")
            }
        }
        if let signatures {
            guard !application.signatures.isEmpty,
                application.signatures.allSatisfy(signatures.contains)
            else {
                throw AttestationError(
                    .androidApplication, "the app is signed with another certificate")
            }
        }
    }
}

extension AuthorizationList {
    /// Returns the values of both lists, preferring hardware. Only for policies that accept
    /// software.
    fileprivate func merged(with hardware: AuthorizationList) -> AuthorizationList {
        var result = hardware
        result.purposes = hardware.purposes ?? purposes
        result.origin = hardware.origin ?? origin
        result.rootOfTrust = hardware.rootOfTrust ?? rootOfTrust
        result.userAuthenticationType = hardware.userAuthenticationType ?? userAuthenticationType
        result.systemPatchLevel = hardware.systemPatchLevel ?? systemPatchLevel
        return result
    }
}
