internal import MienCore
internal import MienDevice
internal import MienHardware

/// A TPM as the hardware that a device's data is bound to.
struct TPMHardware: DeviceHardware {
    let tpm: TPM

    var source: DeviceBindingSource { .tpm }

    func isThere() async throws -> Bool {
        do {
            _ = try await tpm.lockout()
            return true
        } catch let error as TPMError where error.code == .unreachable { return false } catch let
            error as TPMError
        { throw Self.failed(error) }
    }

    func seal(_ secret: Sensitive<[UInt8]>, auth: Sensitive<[UInt8]>) async throws -> [UInt8] {
        try await Self.asked { try await tpm.seal(secret, auth: auth).bytes }
    }

    func unseal(_ blob: [UInt8], auth: Sensitive<[UInt8]>) async throws -> Sensitive<[UInt8]> {
        try await Self.asked { try await tpm.unseal(TPMBlob(bytes: blob), auth: auth) }
    }

    // MARK: Counters

    var counters: ClosedRange<UInt32> { TPMCounter.indices }

    func makeCounter(_ index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64 {
        try await Self.asked { try await tpm.makeCounter(auth: auth, at: index).value }
    }

    func value(ofCounter index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64? {
        try await Self.asked { try await tpm.value(ofCounter: index, auth: auth) }
    }

    func increment(counter index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64? {
        try await Self.asked { try await tpm.increment(counter: index, auth: auth) }
    }

    func removeCounter(_ index: UInt32) async throws {
        try await Self.asked { _ = try await tpm.removeCounter(index) }
    }

    // MARK: Errors

    private static func asked<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as TPMError {
            guard error.code == .blobRefused else { throw failed(error) }
            throw FaceAuthError(
                .otherDevice,
                "This data is bound to another TPM. It was copied here, or this TPM was cleared. Reset, and enroll here."
            )
        }
    }

    private static func failed(_ error: TPMError) -> FaceAuthError {
        FaceAuthError(.bindingUnavailable, "The TPM failed: \(error)")
    }
}
