/// What a TPM signs about a key it holds: `TPMS_ATTEST` with a certification (TPM 2.0 part 2,
/// §10.12.12).
struct TPMAttest: Hashable {
    /// What the caller asked to have signed along.
    let extraData: [UInt8]
    /// Of the certified key.
    let name: [UInt8]

    init(_ bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= 1024 else {
            throw AttestationError(.tpm, "“certInfo” has more than 1024 bytes")
        }
        var reader = BigEndianReader(bytes)
        // TPM_GENERATED_VALUE: a TPM signs nothing from outside that begins like this.
        guard reader.integer(UInt32.self) == 0xff54_4347 else {
            throw AttestationError(.tpm, "“certInfo” is not made by a TPM")
        }
        guard reader.integer(UInt16.self) == 0x8017 else {
            throw AttestationError(.tpm, "“certInfo” certifies no key")
        }
        guard reader.counted() != nil, let extraData = reader.counted() else {
            throw Self.truncated
        }
        // Clock, resets, restarts, whether it is exact; version of the firmware.
        guard reader.take(17) != nil, reader.take(8) != nil, let name = reader.counted(),
            reader.counted() != nil
        else { throw Self.truncated }
        guard reader.isAtEnd else { throw AttestationError(.tpm, "something follows “certInfo”") }
        (self.extraData, self.name) = (extraData, name)
    }

    private static let truncated = AttestationError(.tpm, "“certInfo” is cut off")
}
