public import MienCore

public enum VerificationKind: IdentifierKind { public static let prefix = "idv" }
public enum CodeKind: IdentifierKind { public static let prefix = "otc" }
public enum ChallengeKind: IdentifierKind { public static let prefix = "chl" }

/// An identity-verification session.
public typealias VerificationID = Identifier<VerificationKind>
/// A sent one-time code's identifier, not the code itself.
public typealias CodeID = Identifier<CodeKind>
/// A device-key challenge's identifier, not its bytes.
public typealias ChallengeID = Identifier<ChallengeKind>
