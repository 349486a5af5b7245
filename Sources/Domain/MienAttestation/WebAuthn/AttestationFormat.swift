/// An attestation statement format (WebAuthn §8). Others are refused.
public enum AttestationFormat: String, Sendable, Hashable, CaseIterable {
    case none, packed, apple, tpm
    case androidKey = "android-key"
    case fidoU2F = "fido-u2f"
}

/// The result of an attestation: what a registration proved about the authenticator. Nothing here
/// identifies the user.
public enum AttestationProof: Sendable, Hashable {
    /// The authenticator sent no attestation.
    case nothing
    /// The new key signed for itself, which proves only that the sender holds it.
    case selfSigned
    /// A consistent statement with certificates of unknown issuers, usable once anchors are added.
    case unanchored(AttestationFormat)
    /// A statement whose certificates lead to an anchor.
    case anchored(AttestationFormat, anchor: [UInt8])
}
