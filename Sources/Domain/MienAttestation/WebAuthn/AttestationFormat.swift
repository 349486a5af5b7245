/// How an authenticator proves what it is (WebAuthn §8). Others are refused.
public enum AttestationFormat: String, Sendable, Hashable, CaseIterable {
    case none, packed, apple, tpm
    case androidKey = "android-key"
    case fidoU2F = "fido-u2f"
}

/// What a registration proved of the authenticator. Nothing here says who the user is.
public enum AttestationProof: Sendable, Hashable {
    /// The authenticator said nothing of itself.
    case nothing
    /// The new key signed for itself: whoever sent it has it, and no more.
    case selfSigned
    /// A statement that holds together, by certificates nobody here knows: for the time when
    /// anchors arrive.
    case unanchored(AttestationFormat)
    /// One of the anchors stands behind the statement.
    case anchored(AttestationFormat, anchor: [UInt8])
}
