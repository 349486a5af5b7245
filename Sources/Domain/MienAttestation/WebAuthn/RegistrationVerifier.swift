public import MienCore
public import MienKeys

/// Verifies a browser's new credential (WebAuthn §7.1). Pure: the caller draws the challenge, uses
/// it once, and refuses IDs it already knows.
///
/// ```swift
/// var verifier = RegistrationVerifier(relyingParty: RelyingParty(id: "example.org", origins: ["https://example.org"]))
/// verifier.anchors[.packed] = try TrustAnchor.read(pem: vendors)
/// let credential = try verifier.verify(clientDataJSON: json, attestationObject: object, challenge: challenge, at: now)
/// ```
public struct RegistrationVerifier: Sendable {
    public enum Requirement: Sendable, Hashable {
        /// Any valid statement, including none.
        case any
        /// Only ``AttestationProof/anchored(_:anchor:)``.
        case anchored
    }

    public let relyingParty: RelyingParty
    public var algorithms = Set(DeviceKeyAlgorithm.allCases)
    public var requirement = Requirement.any
    /// The trust anchors by format. If a format has anchors, a statement must lead to one of them.
    public var anchors: [AttestationFormat: [TrustAnchor]] = [:]

    public static let maxObjectBytes = 64 * 1024

    public init(relyingParty: RelyingParty) { self.relyingParty = relyingParty }

    /// - Parameters:
    ///   - clientDataJSON: the bytes as received.
    ///   - attestationObject: the bytes as received, decoded.
    public func verify(
        clientDataJSON: [UInt8], attestationObject: [UInt8], challenge: [UInt8], at now: Instant
    ) throws(AttestationError) -> RegisteredCredential {
        let client = try ClientData(
            clientDataJSON, ceremony: .registration, challenge: challenge,
            relyingParty: relyingParty)
        let object = try Self.parts(attestationObject)
        let data = try AuthenticatorData(object.authenticatorData)
        try relyingParty.check(data)
        guard let credential = data.credential else {
            throw AttestationError(.authenticatorData, "the credential is missing")
        }
        let key = try DevicePublicKey(cose: credential.key)
        guard algorithms.contains(key.algorithm) else {
            throw AttestationError(.algorithm, "\(key.algorithm.rawValue) keys were not requested")
        }
        let statement = AttestationStatement(
            members: object.statement, authenticatorData: object.authenticatorData,
            clientDataHash: client.hash, data: data, credential: credential,
            key: key)
        let proof = try proof(statement.verify(object.format), object.format, now)
        return RegisteredCredential(
            id: credential.id, key: key, data: data, aaguid: credential.aaguid, proof: proof)
    }

    private func proof(_ evidence: AttestationEvidence, _ format: AttestationFormat, _ now: Instant)
        throws(AttestationError) -> AttestationProof
    {
        let proof: AttestationProof
        switch evidence {
        case .nothing: proof = .nothing
        case .selfSigned: proof = .selfSigned
        case .certified(let chain, let understood):
            if let anchors = anchors[format], !anchors.isEmpty {
                return .anchored(
                    format,
                    anchor: try chain.verify(anchors: anchors, at: now, understood: understood)
                        .fingerprint)
            }
            proof = .unanchored(format)
        }
        guard requirement == .any else {
            throw AttestationError(
                .insufficient, "format \(format.rawValue) has no anchor, but one is required")
        }
        return proof
    }

    private static func parts(
        _ bytes: [UInt8]
    ) throws(AttestationError) -> (
        format: AttestationFormat, statement: CBORValue, authenticatorData: [UInt8]
    ) {
        let value: CBORValue
        do {
            // Nothing signs the object itself, so the order of its members proves nothing, and some
            // authenticators use one of their own.
            value = try CBOR.read(
                bytes, form: .general, limits: CBOR.Limits(maxBytes: maxObjectBytes))
        } catch {
            throw AttestationError(.form, "the attestation object: \(error)")
        }
        guard let name = value["fmt"]?.textValue, let statement = value["attStmt"],
            statement.entries != nil, let data = value["authData"]?.bytesValue
        else {
            throw AttestationError(
                .form, "“fmt”, “attStmt” or “authData” is missing or of the wrong kind")
        }
        guard let format = AttestationFormat(rawValue: name) else {
            let known = AttestationFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw AttestationError(.format, "“fmt” must be one of \(known)")
        }
        return (format, statement, data)
    }
}

/// The data of a registration to store. ``key`` signs from now on; ``counter`` and
/// ``isBackupEligible`` are compared each time.
public struct RegisteredCredential: Sendable, Hashable {
    public let id: [UInt8]
    public let key: DevicePublicKey
    public let counter: UInt32
    /// The model, if the authenticator reports it. Reliable only with an anchored proof.
    public let aaguid: [UInt8]
    public let isUserVerified: Bool
    public let isBackupEligible: Bool
    public let isBackedUp: Bool
    public let proof: AttestationProof

    init(
        id: [UInt8], key: DevicePublicKey, data: AuthenticatorData, aaguid: [UInt8],
        proof: AttestationProof
    ) {
        (self.id, self.key, self.aaguid, self.proof, counter) = (
            id, key, aaguid, proof, data.counter
        )
        (isUserVerified, isBackupEligible) = (
            data.flags.contains(.userVerified), data.flags.contains(.backupEligible)
        )
        isBackedUp = data.flags.contains(.backedUp)
    }
}
