/// The identifier of one kind of thing: a prefix that names the kind, and 128 random bits as
/// base64url, such as `usr_1b9Xh0…`.
///
/// The phantom type prevents passing a user's identifier where an app's is expected.
public struct Identifier<Kind: IdentifierKind>: Sendable, Hashable, Codable, Comparable,
    CustomStringConvertible
{
    public let text: String

    /// - Returns: `nil` unless `text` consists of 1…64 of the characters `A-Z a-z 0-9 _ - .`.
    public init?(_ text: some StringProtocol) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.text = String(text)
    }

    /// Creates a new random identifier.
    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self("\(Kind.prefix)_\(Base64URL.encode(generator.bytes(16)))")!
    }

    public var description: String { text }

    public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "an identifier has 1 to 64 of the characters A-Z, a-z, 0-9, “_”, “-”, and “.”")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// A kind of thing that an ``Identifier`` identifies.
public protocol IdentifierKind: SendableMetatype {
    /// Two or three letters.
    static var prefix: String { get }
}

public enum UserKind: IdentifierKind { public static let prefix = "usr" }
public enum AppKind: IdentifierKind { public static let prefix = "app" }
public enum AuthenticatorKind: IdentifierKind { public static let prefix = "aut" }
public enum JourneyKind: IdentifierKind { public static let prefix = "jny" }
public enum InstanceKind: IdentifierKind { public static let prefix = "run" }
public enum CaptureKind: IdentifierKind { public static let prefix = "cap" }
public enum DeviceKind: IdentifierKind { public static let prefix = "dev" }
public enum AdminKind: IdentifierKind { public static let prefix = "adm" }
public enum GrantKind: IdentifierKind { public static let prefix = "grt" }
public enum AdministratorOfferKind: IdentifierKind { public static let prefix = "inv" }
public enum OrganizationKind: IdentifierKind { public static let prefix = "org" }
public enum OrganizationInvitationKind: IdentifierKind { public static let prefix = "oin" }
public enum SCIMTokenKind: IdentifierKind { public static let prefix = "sct" }
public enum SCIMGroupKind: IdentifierKind { public static let prefix = "scg" }

public enum FaceGroupKind: IdentifierKind { public static let prefix = "fgr" }

public typealias UserID = Identifier<UserKind>
public typealias AppID = Identifier<AppKind>
public typealias AuthenticatorID = Identifier<AuthenticatorKind>
/// The identifier of a journey, chosen by its author: `face-login`.
public typealias JourneyID = Identifier<JourneyKind>
/// The identifier of one run of a journey.
public typealias InstanceID = Identifier<InstanceKind>
public typealias CaptureID = Identifier<CaptureKind>
public typealias DeviceID = Identifier<DeviceKind>
public typealias AdminID = Identifier<AdminKind>
/// The identifier of one sign-in of a user in an app, from its first tokens to its last.
public typealias GrantID = Identifier<GrantKind>
/// The identifier of an invitation of an administrator, or of a setup code.
public typealias AdministratorOfferID = Identifier<AdministratorOfferKind>
public typealias OrganizationID = Identifier<OrganizationKind>
public typealias OrganizationInvitationID = Identifier<OrganizationInvitationKind>
public typealias SCIMTokenID = Identifier<SCIMTokenKind>
public typealias SCIMGroupID = Identifier<SCIMGroupKind>
/// The identifier of a group of apps that share faces.
public typealias FaceGroupID = Identifier<FaceGroupKind>

extension FaceGroupID {
    /// Where the faces of the group are kept, in place of an app. No app has an ID that begins alike.
    public var space: AppID { AppID(text)! }

    /// - Returns: `nil` if the faces of this app are not those of a group.
    public init?(space: AppID?) {
        guard let space, space.isFaceGroup else { return nil }
        self.init(space.text)
    }
}

extension AppID {
    /// Whether the ID is one of a group of apps that share faces, which no app may have.
    public var isFaceGroup: Bool { text.hasPrefix("\(FaceGroupKind.prefix)_") }
}

extension RandomNumberGenerator {
    /// Returns random bytes.
    ///
    /// Takes all eight bytes of each word drawn, because the system's generator makes a kernel call
    /// for every word.
    ///
    /// - Parameter count: 0 or more.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            var word: UInt64 = next()
            for _ in 0..<min(8, count - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return bytes
    }
}
