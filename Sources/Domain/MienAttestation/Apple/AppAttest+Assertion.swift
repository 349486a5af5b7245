internal import Crypto
public import MienKeys

extension AppAttest {
    /// Verifies the output of `DCAppAttestService.generateAssertion`.
    ///
    /// - Parameters:
    ///   - object: the assertion object.
    ///   - clientDataHash: SHA-256 of the request that the app signed, which contains a single-use
    ///     challenge of the server.
    ///   - key: the attested key, as stored after the attestation.
    ///   - previousCounter: the last stored counter; 0 after the attestation.
    public static func verifyAssertion(
        _ object: [UInt8], clientDataHash: [UInt8], app: AppID, key: DevicePublicKey,
        previousCounter: UInt32
    ) throws(AttestationError) -> AppAssertion {
        let value: CBORValue
        do {
            value = try CBOR.read(object, form: .general, limits: CBOR.Limits(maxBytes: 1024))
        } catch {
            throw AttestationError(.form, "the assertion object: \(error)")
        }
        guard let signature = value["signature"]?.bytesValue,
            let bytes = value["authenticatorData"]?.bytesValue
        else {
            throw AttestationError(
                .form, "“signature” or “authenticatorData” is missing or not a byte string")
        }
        // The signature hashes the nonce once more, because the nonce is its message.
        let nonce = Array(SHA256.hash(data: bytes + clientDataHash))
        guard key.isValid(signature, over: nonce, form: .der) else {
            throw AttestationError(.signature, "the signature does not match this key and request")
        }
        let data = try AuthenticatorData(bytes, toleratingMissingCredential: true)
        try checkApp(data, app)
        guard
            case .grew(let old, let new) = SignatureCounter(
                stored: previousCounter, received: data.counter)
        else {
            throw AttestationError(
                .counter,
                "the counter must be above \(previousCounter); the request is old, or the key was copied"
            )
        }
        return AppAssertion(previousCounter: old, newCounter: new)
    }
}
