#if canImport(Security)
internal import Foundation
internal import MienCore
internal import Security

/// The keychain of Apple's systems. Secrets stay on this device and can be read once it has been
/// unlocked after a start.
struct Keychain: SecretStore {
    func read(_ name: SecretName) throws -> Sensitive<String>? {
        var wishes = Self.query(name)
        wishes[kSecReturnData as String] = true
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(wishes as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else {
            throw Self.failure(status)
        }
        return Sensitive(String(decoding: data, as: UTF8.self))
    }

    func write(_ secret: Sensitive<String>, as name: SecretName) throws {
        let data = secret.use { Data($0.utf8) }
        let change = [kSecValueData as String: data]
        var status = SecItemUpdate(Self.query(name) as CFDictionary, change as CFDictionary)
        if status == errSecItemNotFound {
            var item = Self.query(name).merging(change) { $1 }
            item[kSecAttrAccessible as String] =
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.failure(status) }
    }

    func remove(_ name: SecretName) throws {
        let status = SecItemDelete(Self.query(name) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw Self.failure(status)
        }
    }

    private static func query(_ name: SecretName) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: name.service,
            kSecAttrAccount as String:
                "\(name.kind.rawValue) \(name.owner.application) \(name.owner.server)",
        ]
    }

    private static func failure(_ status: OSStatus) -> SecretStoreError {
        SecretStoreError(reason: "The keychain returned status \(status).")
    }
}
#endif
