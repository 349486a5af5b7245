internal import Foundation
internal import MienCore
internal import MienKeys
internal import MienVault

/// The hardware that a device's data is bound to.
public enum DeviceBindingSource: String, Sendable, CaseIterable, Codable {
    /// The machine id, and the key file. On Apple's systems only the key, which is in the keychain.
    case machine
    /// The TPM, and the key file.
    case tpm
    /// The Secure Enclave, and the key in the keychain.
    case secureEnclave = "secure_enclave"
}

extension SealPurpose {
    /// The vault key, bound to a machine.
    static let deviceBinding = SealPurpose(label: "mien/v1/device-binding")
}

/// The key of a device's vault, stored in one file that opens only on this device.
///
/// The key is random and stays the same for the life of the vault. Only its wrapping changes:
/// - machine: AES-256-GCM under a key derived from the key file and the machine id;
/// - hardware: sealed by it, with an auth value derived from the key file.
///
/// No lock is held while the hardware is called. The record is compared before it is replaced.
struct DeviceBinding: Sendable {
    static let name = "binding.sealed"
    static let sizeLimit = 8 << 10

    let folder: String
    let keyStore: any DeviceKeyStore
    let hardware: (any DeviceHardware)?
    let machineID: @Sendable () throws -> [UInt8]
    let files: any FileSystem
    let random: RandomSource

    private struct Record: Codable, Equatable {
        var version = 1
        let source: DeviceBindingSource
        /// A code of the key file. It distinguishes a wrong key file from a wrong machine, and
        /// keeps the TPM from counting attempts that cannot succeed.
        let keyFile: [UInt8]
        /// A code of the machine id, which reveals nothing about it without the key file; empty for
        /// hardware.
        let machine: [UInt8]
        let wrapped: [UInt8]
    }

    private static let identity = Array("vault-key".utf8)

    // MARK: Use

    /// - Returns: `nil` if nothing is bound yet.
    func source() throws -> DeviceBindingSource? { try withLock { _ in try read()?.source } }

    /// Returns the vault's key. If there is none, creates one and binds it to the hardware or else
    /// the machine.
    ///
    /// - Parameter recordsExist: If true, no key is created, because a new one could not open the
    ///   records.
    /// - Throws: ``FaceAuthError``: `.otherDevice`, `.bindingUnavailable`, `.storage`.
    func key(recordsExist: Bool) async throws -> MasterKey {
        let (record, keyFile) = try withLock { (try read(), $0) }
        if let record { return MasterKey(bytes: try await unwrap(record, keyFile)) }
        guard !recordsExist else {
            throw FaceAuthError(
                .storage,
                "\(path) is missing, and only its content opens the faces beside it. Restore it, or reset the service."
            )
        }
        let vaultKey = random.bytes(MasterKey.size)
        let new = try await wrap(vaultKey, keyFile, to: try await present()?.source ?? .machine)
        let winner = try withLock { _ in
            // Another process may have been faster.
            if let other = try read() { return other }
            try write(new)
            return new
        }
        return MasterKey(bytes: winner == new ? vaultKey : try await unwrap(winner, keyFile))
    }

    /// Whether hardware is available to which the data is not bound yet.
    func isMigrationNeeded() async throws -> Bool {
        guard try source() == .machine else { return false }
        return try await present() != nil
    }

    /// Binds the vault's key to the hardware. If it is interrupted, the file is either the old or the
    /// new one, complete.
    func migrate() async throws {
        let (found, keyFile) = try withLock { (try read(), $0) }
        guard let record = found, record.source == .machine else { return }
        guard let hardware = try await present() else {
            throw FaceAuthError(
                .bindingUnavailable,
                "No TPM responds on this machine. The data stays bound to its machine id.")
        }
        let new = try await wrap(
            try await unwrap(record, keyFile), keyFile, to: hardware.source)
        try withLock { _ in
            // If another process migrated or reset meanwhile, its record stays.
            guard try read() == record else { return }
            try write(new)
        }
    }

    /// Removes the key, so that nothing sealed under it can be opened again. Needs neither the key
    /// file nor the device that it was bound to.
    func forget() throws {
        do throws(FileSystemError) {
            try files.ensureFolder(folder)
            let lock = try files.lock("\(folder)/lock", .exclusive)
            defer { lock.release() }
            guard try files.read(path, atMost: 0) != nil else { return }
            try files.remove(path)
            try files.syncFolder(folder)
        } catch { throw FaceAuthError(.storage, "\(error)") }
    }

    /// Returns this device's identifier: 32 bytes derived from the key file and the machine id. It
    /// stays the same after a reset.
    ///
    /// - Throws: ``FaceAuthError``: `.bindingUnavailable` if the machine id cannot be read now,
    ///   because the identifier would then be that of another device; `.storage`.
    func deviceMark() throws -> [UInt8] {
        let machine = try machineID()
        return try withLock { $0.code(for: Array("device/".utf8) + machine, purpose: .license) }
    }

    // MARK: Wrapping

    private func wrap(_ vaultKey: [UInt8], _ keyFile: MasterKey, to source: DeviceBindingSource)
        async throws -> Record
    {
        switch source {
        case .machine:
            let machine = try machineID()
            let wrapped = RecordSealer(
                key: Self.wrappingKey(keyFile, machine), purpose: .deviceBinding, random: random
            )
            .seal(vaultKey, identity: Self.identity)
            return Record(
                source: .machine, keyFile: keyFile.id, machine: Self.mark(keyFile, machine),
                wrapped: wrapped)
        case .tpm, .secureEnclave:
            let sealed = try await hardware(of: source).seal(
                Sensitive(vaultKey), auth: Self.auth(keyFile))
            return Record(source: source, keyFile: keyFile.id, machine: [], wrapped: sealed)
        }
    }

    private func unwrap(_ record: Record, _ keyFile: MasterKey) async throws -> [UInt8] {
        guard record.keyFile == keyFile.id else {
            throw keyStore.isOfDevice
                ? FaceAuthError(
                    .otherDevice,
                    "\(path) was created with another key than \(keyStore.name). It was copied here. Reset, and enroll here."
                )
                : FaceAuthError(
                    .storage,
                    "\(path) was created with another key file than \(keyStore.name). Restore that key file, or reset the service."
                )
        }
        switch record.source {
        case .machine:
            let machine = try machineID()
            guard record.machine == Self.mark(keyFile, machine) else {
                throw FaceAuthError(
                    .otherDevice,
                    "This data was created on a machine with another id. It was copied here, or the system was reinstalled. Reset, and enroll here."
                )
            }
            do {
                return try RecordSealer(
                    key: Self.wrappingKey(keyFile, machine), purpose: .deviceBinding, random: random
                )
                .open(record.wrapped, identity: Self.identity)
            } catch { throw FaceAuthError(.storage, "\(path): \(error)") }
        case .tpm, .secureEnclave:
            return try await hardware(of: record.source).unseal(
                record.wrapped, auth: Self.auth(keyFile)
            ).use { $0 }
        }
    }

    private static func wrappingKey(_ keyFile: MasterKey, _ machine: [UInt8]) -> MasterKey {
        MasterKey(
            bytes: keyFile.code(for: Array("machine/".utf8) + machine, purpose: .deviceBinding))
    }

    private static func mark(_ keyFile: MasterKey, _ machine: [UInt8]) -> [UInt8] {
        Array(keyFile.code(for: Array("mark/".utf8) + machine, purpose: .deviceBinding).prefix(8))
    }

    /// A TPM ignores trailing zeros, so the last byte is never zero.
    private static func auth(_ keyFile: MasterKey) -> Sensitive<[UInt8]> {
        Sensitive(keyFile.code(for: Array("tpm".utf8), purpose: .deviceBinding).prefix(31) + [1])
    }

    // MARK: The hardware

    /// Returns the hardware if it responds.
    private func present() async throws -> (any DeviceHardware)? {
        guard let hardware, try await hardware.isThere() else { return nil }
        return hardware
    }

    /// Returns the hardware that a record is bound to.
    private func hardware(of source: DeviceBindingSource) throws -> any DeviceHardware {
        guard let hardware, hardware.source == source else {
            throw FaceAuthError(
                .otherDevice,
                "This data is bound to \(source == .tpm ? "a TPM" : "a Secure Enclave"), and this service has none. It was copied here, or the chip was turned off. Reset, and enroll here."
            )
        }
        return hardware
    }

    // MARK: The file

    private var path: String { "\(folder)/\(Self.name)" }

    private func withLock<T>(_ body: (MasterKey) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyStore: keyStore, files: files, random: random)
            defer { vault.lock.release() }
            return try body(vault.key)
        } catch let error as DeviceError { throw FaceAuthError(.storage, error.reason) } catch let
            error as FileSystemError
        {
            throw FaceAuthError(.storage, "\(error)")
        }
    }

    private func read() throws -> Record? {
        guard let found = try files.read(path, atMost: Self.sizeLimit) else { return nil }
        guard found.isRegular, found.size <= Self.sizeLimit else {
            throw FaceAuthError(.storage, "\(path) is not a regular file of at most 8 KiB.")
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(found.bytes)),
            record.version == 1
        else {
            throw FaceAuthError(
                .storage,
                "\(path) does not contain a binding of version 1. Restore it, or reset the service."
            )
        }
        return record
    }

    private func write(_ record: Record) throws {
        let content = Array(try JSONEncoder().encode(record))
        try files.replaceFile(path, with: content, random: random)
    }
}
