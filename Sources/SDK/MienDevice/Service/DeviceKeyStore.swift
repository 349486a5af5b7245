package import MienVault

/// Keeps the key under which a device's records are sealed: a file, or the keychain.
package protocol DeviceKeyStore: Sendable {
    /// Names the key in errors.
    var name: String { get }

    /// Whether the key never leaves the device, so that what another key sealed is from elsewhere.
    var isOfDevice: Bool { get }

    /// Reads the key, or creates it if there is none and nothing has been sealed yet. The caller
    /// holds the lock of the sealed records.
    ///
    /// - Throws: `KeyFileError`; ``FaceAuthError`` `.otherDevice`, `.storage`.
    func loadOrCreate(sealedRecordsExist: Bool, random: RandomSource) throws -> MasterKey
}

extension KeyFile: DeviceKeyStore {
    package var name: String { path }
    package var isOfDevice: Bool { false }
}
