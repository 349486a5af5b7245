package import MienCore

/// Hardware that keeps a secret on one device, and counts: a TPM, or the Secure Enclave.
///
/// All functions throw ``FaceAuthError``: `.otherDevice` for what other hardware has sealed,
/// `.bindingUnavailable` if the hardware fails.
package protocol DeviceHardware: Sendable {
    /// The source that a binding to this hardware names.
    var source: DeviceBindingSource { get }

    /// Whether the hardware is there and responds.
    func isThere() async throws -> Bool

    /// Seals 32 bytes.
    ///
    /// - Parameter auth: 32 bytes, which unsealing needs, too.
    /// - Returns: a blob to store, which no other hardware opens.
    func seal(_ secret: Sensitive<[UInt8]>, auth: Sensitive<[UInt8]>) async throws -> [UInt8]

    func unseal(_ blob: [UInt8], auth: Sensitive<[UInt8]>) async throws -> Sensitive<[UInt8]>

    // MARK: Counters, which backups of files do not restore

    /// The indexes that counters may have.
    var counters: ClosedRange<UInt32> { get }

    /// Creates the counter, or increments it if it exists.
    ///
    /// - Returns: its value, greater than that of any counter removed from this index before.
    func makeCounter(_ index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64

    /// - Returns: `nil` if the counter is gone.
    func value(ofCounter index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64?

    /// - Returns: the new value; `nil` if the counter is gone.
    func increment(counter index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64?

    func removeCounter(_ index: UInt32) async throws
}
