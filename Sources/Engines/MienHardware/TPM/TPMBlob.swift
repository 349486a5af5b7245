/// A signing key or sealed data that only the TPM that made it can use, wrapped by its storage key.
/// It is not secret and can be stored anywhere.
///
/// Bytes: `MTPM`, version 1 (one byte), three bytes of PCR bits (register 0 first; none set means
/// not bound), then the public and the private area, each preceded by its length in two bytes,
/// big-endian.
public struct TPMBlob: Sendable, Hashable {
    /// The allowed size of an area in bytes. No TPM makes larger areas for the kinds of objects
    /// used here.
    static let areaRange = 1...1024
    public static let sizeLimit = 12 + 2 * 1024

    /// TPMT_PUBLIC, as the TPM writes it.
    let publicArea: [UInt8]
    /// The buffer of TPM2B_PRIVATE.
    let privateArea: [UInt8]
    public let registers: PCRSelection?

    init(publicArea: [UInt8], privateArea: [UInt8], registers: PCRSelection?) {
        (self.publicArea, self.privateArea, self.registers) = (publicArea, privateArea, registers)
    }

    public var bytes: [UInt8] {
        var wire = TPMWire()
        wire.put(Self.magic)
        wire.put([Self.version] + (registers?.mask ?? [0, 0, 0]))
        wire.put(sized: publicArea)
        wire.put(sized: privateArea)
        return wire.bytes
    }

    /// - Throws: ``TPMError`` `.blobRefused` with the error and its location.
    public init(bytes: [UInt8]) throws(TPMError) {
        func refused(_ why: String) -> TPMError {
            TPMError(.blobRefused, "not a TPM blob: \(why)")
        }
        guard bytes.count <= Self.sizeLimit else {
            throw refused("it has \(bytes.count) bytes; at most \(Self.sizeLimit) are allowed")
        }
        var reader = TPMReader(bytes)
        guard let head = reader.take(4), head == Self.magic else {
            throw refused("it does not start with MTPM")
        }
        guard let version = reader.take(1), version == [Self.version] else {
            throw refused("its version must be \(Self.version)")
        }
        guard let mask = reader.take(3), let publicArea = reader.sized(),
            let privateArea = reader.sized()
        else {
            throw refused("it ends after \(bytes.count) bytes")
        }
        guard reader.isAtEnd else { throw refused("extra bytes follow it") }
        guard Self.areaRange.contains(publicArea.count), Self.areaRange.contains(privateArea.count)
        else {
            throw refused(
                "its areas have \(publicArea.count) and \(privateArea.count) bytes; each must have 1 to 1024"
            )
        }
        let bits = zip(mask, [0, 8, 16]).reduce(UInt32.zero) { $0 | UInt32($1.0) << UInt32($1.1) }
        self.init(
            publicArea: publicArea, privateArea: privateArea,
            registers: bits == 0 ? nil : PCRSelection(bits: bits))
    }

    private static let magic = Array("MTPM".utf8), version: UInt8 = 1
}

/// A new signing key: its blob and its public half.
public struct TPMSigningKey: Sendable, Hashable {
    public let blob: TPMBlob
    /// The point on P-256, X9.63 uncompressed: 0x04, x, y; 65 bytes.
    public let publicKey: [UInt8]
}
