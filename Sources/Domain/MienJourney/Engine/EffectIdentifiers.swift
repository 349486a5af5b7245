public import MienCore

public enum VerificationKind: IdentifierKind { public static let prefix = "idv" }
public enum CodeKind: IdentifierKind { public static let prefix = "otc" }
public enum ChallengeKind: IdentifierKind { public static let prefix = "chl" }
public enum DeviceKeyKind: IdentifierKind { public static let prefix = "key" }

/// An identity-verification session.
public typealias VerificationID = Identifier<VerificationKind>
/// A one-time code that was sent, not the code itself.
public typealias CodeID = Identifier<CodeKind>
/// A challenge for a device key, not its bytes.
public typealias ChallengeID = Identifier<ChallengeKind>
