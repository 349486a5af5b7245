/// The data that an authenticator creates and signs (WebAuthn §6.1). App Attest uses the same
/// format.
public struct AuthenticatorData: Sendable, Hashable {
    public struct Flags: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let userPresent = Flags(rawValue: 1), userVerified = Flags(rawValue: 1 << 2)
        /// The key may leave the device it was created on, and has done so.
        public static let backupEligible = Flags(rawValue: 1 << 3),
            backedUp = Flags(rawValue: 1 << 4)
        static let attestedCredential = Flags(rawValue: 1 << 6),
            extensions = Flags(rawValue: 1 << 7)
    }

    public struct Credential: Sendable, Hashable {
        /// 16 bytes; zeros if the authenticator does not report a model.
        public let aaguid: [UInt8]
        public let id: [UInt8]
        /// A COSE key, parsed but not validated.
        public let key: CBORValue
    }

    /// SHA-256 of the relying party's ID.
    public let relyingPartyHash: [UInt8]
    public let flags: Flags
    public let counter: UInt32
    public let credential: Credential?
    public let extensions: CBORValue?

    public static let maxCredentialIDBytes = 1023

    /// - Parameter toleratingMissingCredential: App Attest's assertions announce a credential that
    ///   is missing.
    public init(_ bytes: [UInt8], toleratingMissingCredential: Bool = false)
        throws(AttestationError)
    {
        var reader = BigEndianReader(bytes)
        guard let hash = reader.take(32), let flags = reader.integer(UInt8.self),
            let counter = reader.integer(UInt32.self)
        else {
            throw AttestationError(
                .authenticatorData, "the authenticator data is shorter than 37 bytes")
        }
        (relyingPartyHash, self.flags, self.counter) = (hash, Flags(rawValue: flags), counter)
        let claimsNothing = toleratingMissingCredential && reader.isAtEnd
        credential =
            self.flags.contains(.attestedCredential) && !claimsNothing
            ? try Self.credential(&reader) : nil
        extensions =
            self.flags.contains(.extensions) && !claimsNothing
            ? try Self.map(&reader, "extensions") : nil
        guard reader.isAtEnd else {
            throw AttestationError(
                .authenticatorData, "unexpected data after the parts that the flags announce")
        }
    }

    private static func credential(_ reader: inout BigEndianReader) throws(AttestationError)
        -> Credential
    {
        guard let aaguid = reader.take(16), let id = reader.counted() else {
            throw AttestationError(.authenticatorData, "the credential is cut off")
        }
        guard !id.isEmpty, id.count <= maxCredentialIDBytes else {
            throw AttestationError(
                .authenticatorData,
                "a credential's ID must have 1 to \(maxCredentialIDBytes) bytes, not \(id.count)")
        }
        return Credential(aaguid: aaguid, id: id, key: try map(&reader, "credential's key"))
    }

    private static func map(_ reader: inout BigEndianReader, _ name: String)
        throws(AttestationError) -> CBORValue
    {
        let value: CBORValue, count: Int
        do { (value, count) = try CBOR.readFirst(reader.remaining, form: .ctap2) } catch {
            throw AttestationError(.authenticatorData, "the \(name): \(error)")
        }
        guard value.entries != nil else {
            throw AttestationError(.authenticatorData, "the \(name) must be a map")
        }
        _ = reader.take(count)
        return value
    }
}
