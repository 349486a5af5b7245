/// A TPM's signed statement about a key it holds: `TPMS_ATTEST` with a certification (TPM 2.0 part
/// 2, §10.12.12).
struct TPMAttest: Hashable {
    /// Data that the caller asked to include in the signature.
    let extraData: [UInt8]
    /// The name of the certified key.
    let name: [UInt8]

    init(_ bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= 1024 else {
            throw AttestationError(.tpm, "“certInfo” has more than 1024 bytes")
        }
        var reader = BigEndianReader(bytes)
        // TPM_GENERATED_VALUE: a TPM never signs external data that begins with it.
        guard reader.integer(UInt32.self) == 0xff54_4347 else {
            throw AttestationError(.tpm, "“certInfo” was not created by a TPM")
        }
        guard reader.integer(UInt16.self) == 0x8017 else {
            throw AttestationError(.tpm, "“certInfo” certifies no key")
        }
        guard reader.counted() != nil, let extraData = reader.counted() else {
            throw Self.truncated
        }
        // Clock, resets, restarts, and the clock's accuracy; the firmware version.
        guard reader.take(17) != nil, reader.take(8) != nil, let name = reader.counted(),
            reader.counted() != nil
        else { throw Self.truncated }
        guard reader.isAtEnd else {
            throw AttestationError(.tpm, "unexpected data after “certInfo”")
        }
        (self.extraData, self.name) = (extraData, name)
    }

    private static let truncated = AttestationError(.tpm, "“certInfo” is cut off")
}
