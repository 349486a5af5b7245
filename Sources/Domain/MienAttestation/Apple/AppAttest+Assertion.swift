internal import Crypto
public import MienKeys

extension AppAttest {
    /// What `DCAppAttestService.generateAssertion` gave.
    ///
    /// - Parameters:
    ///   - object: the assertion object.
    ///   - clientDataHash: SHA-256 of the request that the app signed; it holds a challenge of the
    ///     server's, used once.
    ///   - key: of the attestation, as it was kept.
    ///   - previousCounter: what was kept last; 0 after the attestation.
    public static func verifyAssertion(
        _ object: [UInt8], clientDataHash: [UInt8], app: AppID, key: DevicePublicKey,
        previousCounter: UInt32
    ) throws(AttestationError) -> AppAssertion {
        let value: CBORValue
        do {
            value = try CBOR.read(object, form: .ctap2, limits: CBOR.Limits(maxBytes: 1024))
        } catch {
            throw AttestationError(.form, "the assertion object: \(error)")
        }
        guard let signature = value["signature"]?.bytesValue,
            let bytes = value["authenticatorData"]?.bytesValue
        else {
            throw AttestationError(
                .form, "“signature” or “authenticatorData” is missing or no bytes")
        }
        // The nonce is the message: the signature hashes it once more.
        let nonce = Array(SHA256.hash(data: bytes + clientDataHash))
        guard key.isValid(signature, over: nonce, form: .der) else {
            throw AttestationError(.signature, "not this key's signature over this request")
        }
        let data = try AuthenticatorData(bytes, toleratingMissingCredential: true)
        try checkApp(data, app)
        guard
            case .grew(let old, let new) = SignatureCounter(
                stored: previousCounter, received: data.counter)
        else {
            throw AttestationError(
                .counter,
                "the counter has to be above \(previousCounter): a request from before, or a copy of the key"
            )
        }
        return AppAssertion(previousCounter: old, newCounter: new)
    }
}
