#if canImport(Security)
internal import Foundation
#endif

/// Where secrets are kept unless the app says otherwise: in the keychain on Apple's systems, under the
/// app's bundle identifier; elsewhere in memory, until the process ends.
public enum StandardStorage {
    /// For device tokens.
    public static var deviceTokens: any DeviceTokenStorage {
        #if canImport(Security)
        SystemDeviceTokens(Keychain(), service: service)
        #else
        MemoryDeviceTokens()
        #endif
    }

    /// For a session's tokens, and the keys they are bound to.
    public static var tokens: any TokenStorage & ProofKeyStorage {
        #if canImport(Security)
        SystemTokenStorage(Keychain(), service: service)
        #else
        TransientTokenStorage()
        #endif
    }

    #if canImport(Security)
    private static var service: String { Bundle.main.bundleIdentifier ?? "mien" }
    #endif
}
