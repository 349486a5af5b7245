// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The parts of Apple's Security and Core Foundation that the SDK uses: a keychain in memory, and an
// enclave whose keys sign only after its owner was recognized, and no longer after another enrollment.
// Core Foundation's types stand for the types they bridge to, because Swift bridges only on Apple's
// systems. Source: developer.apple.com/documentation/security, the pages secitemadd(_:_:),
// secitemcopymatching(_:_:), secitemupdate(_:_:), secitemdelete(_:), seckeycreaterandomkey(_:_:),
// seckeycreatesignature(_:_:_:_:), secaccesscontrolcreatewithflags(_:_:_:_:),
// secaccesscontrolcreateflags, and seckeyalgorithm; documentation/corefoundation/cferror.
import Crypto
import Foundation
import LocalAuthentication

public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [String: Any]
public typealias OSStatus = Int32
public final class CFAllocator {}
public final class CFError: Error {
    let domain: String
    let code: Int
    init(_ code: Int, domain: String = "NSOSStatusErrorDomain") {
        (self.code, self.domain) = (code, domain)
    }
}
public func CFErrorGetCode(_ error: CFError) -> Int { error.code }
public func CFErrorGetDomain(_ error: CFError) -> CFString! { error.domain }

public let errSecSuccess: OSStatus = 0, errSecUserCanceled: OSStatus = -128,
    errSecParam: OSStatus = -50, errSecDuplicateItem: OSStatus = -25299,
    errSecAuthFailed: OSStatus = -25293,
    errSecItemNotFound: OSStatus = -25300

public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu",
    kSecAttrAccessControl: CFString = "accc"
public let kSecAttrIsPermanent: CFString = "perm", kSecAttrApplicationTag: CFString = "atag",
    kSecAttrLabel: CFString = "labl"
public let kSecAttrKeyType: CFString = "type", kSecAttrKeyTypeECSECPrimeRandom: CFString = "73",
    kSecAttrKeySizeInBits: CFString = "bsiz"
public let kSecAttrTokenID: CFString = "tkid",
    kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken",
    kSecPrivateKeyAttrs: CFString = "private"
public let kSecAttrKeyClass: CFString = "kcls", kSecAttrKeyClassPrivate: CFString = "1",
    kSecClass: CFString = "class", kSecClassKey: CFString = "keys"
public let kSecReturnRef: CFString = "r_Ref", kSecReturnAttributes: CFString = "r_Attributes",
    kSecValueRef: CFString = "v_Ref"
public let kSecMatchLimit: CFString = "m_Limit", kSecMatchLimitAll: CFString = "m_LimitAll",
    kSecUseAuthenticationContext: CFString = "u_AuthCtx"

public let kSecClassGenericPassword: CFString = "genp", kSecReturnData: CFString = "r_Data",
    kSecValueData: CFString = "v_Data"
public let kSecAttrService: CFString = "svce", kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessible: CFString = "pdmn",
    kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"

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

public final class SecAccessControl {
    let flags: SecAccessControlCreateFlags
    init(_ flags: SecAccessControlCreateFlags) { self.flags = flags }
}

/// A reference to a key, or to its public half.
public final class SecKey {
    let key: P256.Signing.PrivateKey
    let isPublic: Bool
    let flags: SecAccessControlCreateFlags
    /// The enrollment when the key was made.
    let enrollment: Int
    /// The context of the query that found it.
    let context: LAContext?

    init(
        _ key: P256.Signing.PrivateKey, isPublic: Bool, _ flags: SecAccessControlCreateFlags,
        enrollment: Int, context: LAContext? = nil
    ) {
        (self.key, self.isPublic, self.flags) = (key, isPublic, flags)
        (self.enrollment, self.context) = (enrollment, context)
    }

    /// Whether another enrollment has made it useless.
    var isInvalidated: Bool {
        flags.contains(.biometryCurrentSet)
            && FakePhone.shared.with { $0.enrollment } != enrollment
            // The passcode still opens a key that accepts it.
            && !flags.contains(.devicePasscode)
    }

    /// - Throws: ``CFError``.
    func unlock() throws {
        var unlock = context?.fakeUnlock
        if unlock == nil {
            // The enclave itself asks.
            switch FakePhone.shared.nextAnswer() {
            case .recognized: unlock = FakePhone.shared.with { $0.enrollment }
            case .passcode: unlock = 0
            case .error(let code): throw CFError(code, domain: LAErrorDomain)
            }
        }
        guard let unlock else { throw CFError(Int(errSecAuthFailed)) }
        let isPasscode = unlock == 0
        let accepts =
            flags.contains(.userPresence)
            || (isPasscode
                ? flags.contains(.devicePasscode)
                : flags.contains(.biometryAny)
                    || (flags.contains(.biometryCurrentSet) && unlock == enrollment))
        guard accepts else { throw CFError(Int(errSecAuthFailed)) }
    }
}

/// The items of the keychain.
private final class Keychain: @unchecked Sendable {
    // Unchecked: the lock protects the items.
    static let shared = Keychain()
    private let lock = NSRecursiveLock()
    private var items: [[String: Any]] = []

    private init() { FakePhone.shared.onReset { [unowned self] in with { $0 = [] } } }

    func with<Value>(_ body: (inout [[String: Any]]) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(&items)
    }

    /// The attributes that identify an item, and that a query compares.
    static let identifying = [
        kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrApplicationTag, kSecAttrKeyClass,
        kSecAttrTokenID,
    ]

    static func matches(_ item: [String: Any], _ query: [String: Any]) -> Bool {
        identifying.allSatisfy { name in
            guard let wanted = query[name] else { return true }
            return (item[name] as? String).map { $0 == wanted as? String }
                ?? (item[name] as? Data).map { $0 == wanted as? Data } ?? false
        }
    }

    /// Whether the phone has forgotten it.
    static func isGone(_ item: [String: Any]) -> Bool {
        guard let key = item[kSecValueRef] as? SecKey else { return false }
        return key.isInvalidated && FakePhone.shared.with { $0.forgetsKeys }
    }
}

public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFString, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? { SecAccessControl(flags) }

public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    guard let own = parameters[kSecPrivateKeyAttrs] as? [String: Any],
        let access = own[kSecAttrAccessControl] as? SecAccessControl,
        parameters[kSecAttrTokenID] as? String == kSecAttrTokenIDSecureEnclave,
        parameters[kSecAttrKeySizeInBits] as? Int == 256, own[kSecAttrIsPermanent] as? Bool == true,
        FakePhone.shared.with({ $0.isPasscodeSet })
    else {
        error?.pointee = .passRetained(CFError(Int(errSecParam)))
        return nil
    }
    let key = SecKey(
        P256.Signing.PrivateKey(), isPublic: false, access.flags,
        enrollment: FakePhone.shared.with { $0.enrollment })
    var item: [String: Any] = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecValueRef: key,
    ]
    for name in [kSecAttrApplicationTag, kSecAttrLabel] { item[name] = own[name] }
    Keychain.shared.with { $0.append(item) }
    return key
}

public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    SecKey(key.key, isPublic: true, key.flags, enrollment: key.enrollment)
}

public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    // A private key never leaves the enclave.
    guard key.isPublic else {
        error?.pointee = .passRetained(CFError(Int(errSecParam)))
        return nil
    }
    return key.key.publicKey.x963Representation
}

public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    do {
        guard !key.isPublic else { throw CFError(Int(errSecParam)) }
        try key.unlock()
        return try key.key.signature(for: data).derRepresentation
    } catch let fault {
        error?.pointee = .passRetained(fault as? CFError ?? CFError(Int(errSecParam)))
        return nil
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    let found = Keychain.shared.with {
        $0.filter { Keychain.matches($0, query) && !Keychain.isGone($0) }
    }
    guard !found.isEmpty else { return errSecItemNotFound }
    func value(_ item: [String: Any]) -> Any {
        let wantsAttributes = query[kSecReturnAttributes] as? Bool == true
        var reference: SecKey?
        if query[kSecReturnRef] as? Bool == true, let key = item[kSecValueRef] as? SecKey {
            reference = SecKey(
                key.key, isPublic: false, key.flags, enrollment: key.enrollment,
                context: query[kSecUseAuthenticationContext] as? LAContext)
        }
        if !wantsAttributes {
            return reference ?? item[kSecValueData] ?? Data()
        }
        var attributes = item
        attributes[kSecValueRef] = reference
        if query[kSecReturnData] as? Bool != true { attributes[kSecValueData] = nil }
        return attributes
    }
    if query[kSecMatchLimit] as? String == kSecMatchLimitAll {
        result?.pointee = found.map { value($0) as! [String: Any] } as AnyObject
    } else {
        result?.pointee = value(found[0]) as AnyObject
    }
    return errSecSuccess
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    Keychain.shared.with { items in
        let before = items.count
        items.removeAll { Keychain.matches($0, query) }
        return items.count == before ? errSecItemNotFound : errSecSuccess
    }
}
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{
    Keychain.shared.with { items in
        guard !items.contains(where: { Keychain.matches($0, attributes) }) else {
            return errSecDuplicateItem
        }
        items.append(attributes)
        return errSecSuccess
    }
}
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    Keychain.shared.with { items in
        var count = 0
        for index in items.indices where Keychain.matches(items[index], query) {
            items[index].merge(attributesToUpdate) { $1 }
            count += 1
        }
        return count == 0 ? errSecItemNotFound : errSecSuccess
    }
}
