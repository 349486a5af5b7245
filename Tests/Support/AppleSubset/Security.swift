// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The parts of Apple's Security and Core Foundation that the SDK uses, declared for type
// checking where they are not available. This code never runs. Core Foundation's types stand for
// the types they bridge to, because Swift bridges only on Apple's systems. Source: Apple's
// documentation of SecKey, SecItem, SecAccessControl (iOS 17, macOS 14).
import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [String: Any]
public typealias OSStatus = Int32
public final class CFAllocator {}
public final class CFError: Error {}
public func CFErrorGetCode(_ error: CFError) -> Int { fatalError() }

public let errSecSuccess: OSStatus = 0, errSecUserCanceled: OSStatus = -128,
    errSecAuthFailed: OSStatus = -25293,
    errSecItemNotFound: OSStatus = -25300

public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "",
    kSecAttrAccessControl: CFString = ""
public let kSecAttrIsPermanent: CFString = "", kSecAttrApplicationTag: CFString = "",
    kSecAttrLabel: CFString = ""
public let kSecAttrKeyType: CFString = "", kSecAttrKeyTypeECSECPrimeRandom: CFString = "",
    kSecAttrKeySizeInBits: CFString = ""
public let kSecAttrTokenID: CFString = "", kSecAttrTokenIDSecureEnclave: CFString = "",
    kSecPrivateKeyAttrs: CFString = ""
public let kSecAttrKeyClass: CFString = "", kSecAttrKeyClassPrivate: CFString = "",
    kSecClass: CFString = "", kSecClassKey: CFString = ""
public let kSecReturnRef: CFString = "", kSecReturnAttributes: CFString = "",
    kSecValueRef: CFString = ""
public let kSecMatchLimit: CFString = "", kSecMatchLimitAll: CFString = "",
    kSecUseAuthenticationContext: CFString = ""

public let kSecClassGenericPassword: CFString = "", kSecReturnData: CFString = "",
    kSecValueData: CFString = ""
public let kSecAttrService: CFString = "", kSecAttrAccount: CFString = ""
public let kSecAttrAccessible: CFString = "",
    kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""

public final class SecKey {}
public final class SecAccessControl {}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let userPresence = Self(rawValue: 1 << 0)
    public static let biometryAny = Self(rawValue: 1 << 1)
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    public static let devicePasscode = Self(rawValue: 1 << 4)
    public static let or = Self(rawValue: 1 << 14)
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
}

public struct SecKeyAlgorithm: Sendable {
    public static let ecdsaSignatureMessageX962SHA256 = Self()
}

public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFString, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? { fatalError() }
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { fatalError() }
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { fatalError() }
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { fatalError() }
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { fatalError() }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{ fatalError() }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{ fatalError() }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    fatalError()
}
