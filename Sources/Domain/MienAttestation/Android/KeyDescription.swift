public import MienCore

/// A key store's statement about a key and its device (Android's attestation extension). Absent
/// fields are `nil`.
public struct KeyDescription: Sendable, Hashable {
    /// The environment in which something is kept and enforced.
    public enum SecurityLevel: Int, Sendable, Hashable, Comparable {
        case software = 0, trustedEnvironment = 1, strongBox = 2

        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    public let attestationVersion: Int
    public let attestationSecurityLevel: SecurityLevel
    public let keyMintVersion: Int
    public let keyMintSecurityLevel: SecurityLevel
    public let challenge: [UInt8]
    /// Identifies a device for a month. Rarely present.
    public let uniqueID: Sensitive<[UInt8]>
    /// Properties that Android enforces, as trustworthy as the running system.
    public let softwareEnforced: AuthorizationList
    public let hardwareEnforced: AuthorizationList
}

/// The permitted uses of a key, and what the key store knows of its origin. The comments contain
/// the tag numbers.
public struct AuthorizationList: Sendable, Hashable {
    public enum Origin: Int, Sendable, Hashable {
        case generated = 0, derived = 1, imported = 2, reserved = 3, securelyImported = 4
    }

    /// 1. 0 encrypt, 1 decrypt, 2 sign, 3 verify, 6 agree, 7 attest.
    public internal(set) var purposes: Set<Int>?
    /// 2. 1 RSA, 3 EC.
    public internal(set) var algorithm: Int?
    /// 3, bits.
    public internal(set) var keySize: Int?
    /// 5, 6. Digest 4 is SHA-256.
    public internal(set) var digests, paddings: Set<Int>?
    /// 10. 1 is P-256.
    public internal(set) var curve: Int?
    /// 200
    public internal(set) var rsaExponent: Int?
    /// 303, 305, 503, 506, 507, 508, 509, 600.
    public internal(set) var rollbackResistance = false, earlyBootOnly = false,
        noAuthenticationRequired = false
    public internal(set) var allowedWhileOnBody = false, presenceRequired = false,
        confirmationRequired = false
    public internal(set) var unlockedDeviceRequired = false, allApplications = false
    /// 400, 401, 402.
    public internal(set) var activeFrom, originationExpires, usageExpires: Instant?
    /// 405
    public internal(set) var usageCountLimit: Int?
    /// 504. A set of bits: 1 password, 2 biometrics.
    public internal(set) var userAuthenticationType: Int?
    /// 505, seconds. Absent if each use requires authentication.
    public internal(set) var authenticationTimeoutSeconds: Int?
    /// 701
    public internal(set) var created: Instant?
    /// 702
    public internal(set) var origin: Origin?
    /// 704
    public internal(set) var rootOfTrust: RootOfTrust?
    /// 705, e.g. 140000 for 14.0.0.
    public internal(set) var systemVersion: Int?
    /// 706, 718, 719: year and month, or year, month and day: 202408, 20240805.
    public internal(set) var systemPatchLevel, vendorPatchLevel, bootPatchLevel: Int?
    /// 709
    public internal(set) var application: AttestedApplication?
    /// 710, 711, 712, 716, 717.
    public internal(set) var brand, device, product, manufacturer, model: String?
    /// 713, 714, 715, 723: serial number, IMEI, MEID, second IMEI.
    public internal(set) var serialNumber, imei, meid, secondIMEI: Sensitive<[UInt8]>?
    /// 724
    public internal(set) var moduleHash: [UInt8]?
    /// Unsupported tags: of newer devices, or not needed here.
    public internal(set) var otherTags: Set<UInt> = []

    public init() {}
}

/// The findings of the boot loader.
public struct RootOfTrust: Sendable, Hashable {
    public enum BootState: Int, Sendable, Hashable {
        /// The manufacturer's system, unchanged.
        case verified = 0
        /// A system signed with a key that the owner installed.
        case selfSigned = 1
        case unverified = 2
        case failed = 3
    }

    public let bootKey: [UInt8]
    public let isLocked: Bool
    public let state: BootState
    /// Absent before attestation version 3.
    public let bootHash: [UInt8]?
}

/// The app that requested the key: several packages if they share a user ID.
public struct AttestedApplication: Sendable, Hashable {
    public struct Package: Sendable, Hashable {
        public let name: String
        public let version: Int

        public init(name: String, version: Int) { (self.name, self.version) = (name, version) }
    }

    public let packages: [Package]
    /// SHA-256 of the signing certificates.
    public let signatures: [[UInt8]]
}
