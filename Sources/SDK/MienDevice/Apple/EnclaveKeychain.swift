#if canImport(Security) && canImport(LocalAuthentication)
internal import Crypto
internal import Foundation
internal import LocalAuthentication
internal import MienCore
internal import MienKeys
internal import Security

/// The keychain's operations, one function each. They block.
struct EnclaveKeychain: Sendable {
    let prefix: String

    func make(_ request: DeviceKeyRequest) throws -> DevicePublicKey {
        let tag = request.tag
        // Otherwise the keychain would store two keys with one tag.
        guard try matches(tag, [:]) == nil else {
            throw DeviceError(.tagInUse, "A key with this tag already exists. Delete it first.")
        }
        var failure: Unmanaged<CFError>?
        guard
            let access = unsafe SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                [.privateKeyUsage, Protection(request).flags], &failure)
        else { throw unsafe Self.error(failure, "creating the key's access control") }
        let own: [String: Any] = [
            kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: name(tag),
            kSecAttrLabel as String: Protection(request).label(
                enrollment: SystemAuthenticator.enrollment),
            kSecAttrAccessControl as String: access,
        ]
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: own,
        ]
        guard let key = unsafe SecKeyCreateRandomKey(attributes as CFDictionary, &failure) else {
            throw unsafe Self.error(failure, "creating a key")
        }
        return try Self.publicKey(of: key)
    }

    /// - Throws: ``DeviceError`` `.biometricPrivateKeyNotFound`.
    func find(_ tag: DeviceKeyTag, context: LAContext?) throws -> (
        key: SecKey, protection: Protection
    ) {
        var wishes: [String: Any] = [
            kSecReturnRef as String: true, kSecReturnAttributes as String: true,
        ]
        if let context { wishes[kSecUseAuthenticationContext as String] = context }
        guard let found = try matches(tag, wishes) as? [String: Any],
            let reference = found[kSecValueRef as String]
        else { throw Self.notFound }
        guard let label = found[kSecAttrLabel as String] as? String,
            let protection = Protection(label: label)
        else {
            throw DeviceError(
                .storage, "The keychain has no access control for the key. Delete the key.")
        }
        return (reference as! SecKey, protection)
    }

    func delete(_ tag: DeviceKeyTag) throws {
        let status = SecItemDelete(query(tag) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw Self.error(status, "deleting a key")
        }
    }

    func tags() throws -> [DeviceKeyTag] {
        var all = query(nil)
        all[kSecMatchLimit as String] = kSecMatchLimitAll
        all[kSecReturnAttributes as String] = true
        guard let found = try copy(all) as? [[String: Any]] else { return [] }
        return found.compactMap { item in
            guard let name = item[kSecAttrApplicationTag as String] as? Data else { return nil }
            let text = String(decoding: name, as: UTF8.self)
            return text.hasPrefix(prefix)
                ? try? DeviceKeyTag(String(text.dropFirst(prefix.count))) : nil
        }.sorted()
    }

    static func publicKey(of key: SecKey) throws -> DevicePublicKey {
        var failure: Unmanaged<CFError>?
        guard let half = SecKeyCopyPublicKey(key),
            let data = unsafe SecKeyCopyExternalRepresentation(half, &failure)
        else {
            throw unsafe error(failure, "reading a public key")
        }
        let point = Array(data as Data)
        guard point.count == 65, point[0] == 4 else {
            throw DeviceError(.storage, "The key is not a P-256 key.")
        }
        return try DevicePublicKey(.p256(x: Array(point[1..<33]), y: Array(point[33...])))
    }

    static func sign(_ message: [UInt8], with key: SecKey) throws -> [UInt8] {
        var failure: Unmanaged<CFError>?
        guard
            let der = unsafe SecKeyCreateSignature(
                key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, &failure)
        else {
            throw unsafe error(failure, "signing")
        }
        guard let raw = ES256Signature.raw(der: Array(der as Data)) else {
            throw DeviceError(.hardware, "The Secure Enclave's signature is not in DER.")
        }
        return raw
    }

    private func name(_ tag: DeviceKeyTag) -> Data { Data((prefix + tag.text).utf8) }

    private func query(_ tag: DeviceKeyTag?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassKey, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
        ]
        if let tag { query[kSecAttrApplicationTag as String] = name(tag) }
        return query
    }

    private func matches(_ tag: DeviceKeyTag, _ wishes: [String: Any]) throws -> CFTypeRef? {
        try copy(
            query(tag).merging(wishes.isEmpty ? [kSecReturnAttributes as String: true] : wishes) {
                $1
            })
    }

    private func copy(_ query: [String: Any]) throws -> CFTypeRef? {
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw Self.error(status, "finding a key") }
        return found
    }

    private static let notFound = DeviceError(
        .biometricPrivateKeyNotFound, "No key with this tag exists. Register again.")

    private static func error(_ status: OSStatus, _ doing: String) -> DeviceError {
        switch status {
        case errSecItemNotFound: notFound
        case errSecUserCanceled: DeviceError(.cancel, "The user canceled.")
        case errSecAuthFailed:
            DeviceError(.notRecognized, "\(doing): The user was not recognized as the owner.")
        default: DeviceError(.hardware, "\(doing): The keychain returned status \(status).")
        }
    }

    @unsafe private static func error(_ failure: Unmanaged<CFError>?, _ doing: String)
        -> DeviceError
    {
        guard let failure = unsafe failure?.takeRetainedValue() else {
            return DeviceError(.hardware, "\(doing): The system returned no error.")
        }
        let code = CFErrorGetCode(failure)
        if CFErrorGetDomain(failure) as String == LAErrorDomain {
            return DeviceError(local: NSError(domain: LAErrorDomain, code: code))
        }
        return error(OSStatus(truncatingIfNeeded: code), doing)
    }
}

/// The constraint and policy of a key, and which enrollment it was made for. The keychain stores them
/// as the label of the key.
struct Protection: Sendable {
    let constraint: BiometricAccessConstraint
    let policy: BiometricPolicy
    /// The mark of the system's identifier of the enrollment; `nil` if it was not known.
    private let enrollment: String?
    private static let passcode = "+passcode"

    init(_ request: DeviceKeyRequest) {
        (constraint, policy, enrollment) = (request.protection, request.policy, nil)
    }

    init?(label: String) {
        let parts = label.split(separator: "@", maxSplits: 1).map(String.init)
        guard let label = parts.first else { return nil }
        enrollment = parts.count == 2 ? parts[1] : nil
        let acceptsPasscode = label.hasSuffix(Self.passcode)
        guard
            let constraint = BiometricAccessConstraint(
                rawValue: String(label.dropLast(acceptsPasscode ? Self.passcode.count : 0)))
        else { return nil }
        self.constraint = constraint
        policy =
            acceptsPasscode ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
    }

    func label(enrollment: [UInt8]?) -> String {
        constraint.rawValue + (policy == .deviceOwnerAuthentication ? Self.passcode : "")
            + (enrollment.map { "@\(Self.mark($0))" } ?? "")
    }

    /// Whether another face or finger was enrolled since the key was made, so that it signs no more.
    ///
    /// The enclave refuses such a key with the same error as a face that was not recognized. Only the
    /// system's identifier tells both apart, and only before anybody is asked.
    ///
    /// - Parameter enrollment: That of now; `nil` if it is not known.
    func isInvalidated(by enrollment: [UInt8]?) -> Bool {
        guard constraint == .biometryCurrentSet, let former = self.enrollment, let enrollment else {
            return false
        }
        // Under another version of the system, the enclave itself decides.
        return former.hasSuffix("@\(Self.system)") && former != Self.mark(enrollment)
    }

    /// The identifier's hash, and the system's major version: a new one may change the identifier
    /// although nobody was enrolled.
    private static func mark(_ enrollment: [UInt8]) -> String {
        "\(Base64URL.encode(SHA256.hash(data: enrollment).prefix(16)))@\(system)"
    }

    private static var system: Int { ProcessInfo.processInfo.operatingSystemVersion.majorVersion }

    /// The Secure Enclave itself enforces these.
    fileprivate var flags: SecAccessControlCreateFlags {
        let acceptsPasscode = policy == .deviceOwnerAuthentication
        switch constraint {
        case .biometryAny:
            return acceptsPasscode ? [.biometryAny, .or, .devicePasscode] : .biometryAny
        case .biometryCurrentSet:
            return acceptsPasscode
                ? [.biometryCurrentSet, .or, .devicePasscode] : .biometryCurrentSet
        case .userPresence: return .userPresence
        }
    }
}
#endif
