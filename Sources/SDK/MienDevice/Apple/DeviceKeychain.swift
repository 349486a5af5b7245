#if canImport(Security)
internal import Foundation
internal import MienCore
internal import MienVault
internal import Security

/// Small secrets in the keychain. They stay on this device, also when it is backed up, and can be
/// read once it has been unlocked after a start.
struct DeviceKeychain: Sendable {
    private static let service = "mien.device"

    func read(_ name: String) throws(FaceAuthError) -> [UInt8]? {
        var wishes = Self.query(name)
        wishes[kSecReturnData as String] = true
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(wishes as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else {
            throw Self.failure(status)
        }
        return Array(data)
    }

    /// - Returns: `false` if there is one already, which stays.
    func add(_ bytes: [UInt8], as name: String) throws(FaceAuthError) -> Bool {
        var item = Self.query(name)
        item[kSecValueData as String] = Data(bytes)
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess || status == errSecDuplicateItem else {
            throw Self.failure(status)
        }
        return status == errSecSuccess
    }

    func replace(_ name: String, by bytes: [UInt8]) throws(FaceAuthError) {
        let change = [kSecValueData as String: Data(bytes)]
        let status = SecItemUpdate(Self.query(name) as CFDictionary, change as CFDictionary)
        guard status == errSecSuccess else { throw Self.failure(status) }
    }

    func remove(_ name: String) throws(FaceAuthError) {
        let status = SecItemDelete(Self.query(name) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw Self.failure(status)
        }
    }

    private static func query(_ name: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service, kSecAttrAccount as String: name,
        ]
    }

    private static func failure(_ status: OSStatus) -> FaceAuthError {
        FaceAuthError(.bindingUnavailable, "The keychain returned status \(status).")
    }
}

/// The device's key in the keychain.
struct KeychainKey: DeviceKeyStore {
    private static let item = "key"
    private let keychain = DeviceKeychain()

    var name: String { "the one in the keychain" }
    var isOfDevice: Bool { true }

    func loadOrCreate(sealedRecordsExist: Bool, random: RandomSource) throws -> MasterKey {
        if let key = try load() { return key }
        guard !sealedRecordsExist else {
            throw FaceAuthError(
                .otherDevice,
                "The key of this data is not in this device's keychain. The data was copied here, or restored from the backup of another device. Reset, and enroll here."
            )
        }
        let bytes = random.bytes(MasterKey.size)
        if try keychain.add(bytes, as: Self.item) { return MasterKey(bytes: bytes) }
        // Another process of the app was faster.
        guard let key = try load() else {
            throw FaceAuthError(.bindingUnavailable, "The keychain lost the device's key.")
        }
        return key
    }

    private func load() throws(FaceAuthError) -> MasterKey? {
        guard let bytes = try keychain.read(Self.item) else { return nil }
        guard bytes.count == MasterKey.size else {
            throw FaceAuthError(
                .storage,
                "The device's key in the keychain has \(bytes.count) bytes instead of \(MasterKey.size)."
            )
        }
        return MasterKey(bytes: bytes)
    }
}
#endif
