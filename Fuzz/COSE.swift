import MienAttestation
import MienCore
import MienKeys
import MienServerTesting

/// Reads any bytes as a COSE key.
///
/// Must hold: the result is an error, or a key that has no further members and stays the same in
/// every form.
func fuzzCOSE(_ bytes: [UInt8]) {
    guard let value = try? CBOR.read(bytes, form: .general) else { return }
    do throws(AttestationError) {
        let key = try DevicePublicKey(cose: value)
        precondition(
            Set(plain(value).entries ?? []) == Set(Write.cose(key).entries ?? []),
            "a member has no effect")
        if (try? CBOR.read(bytes, form: .ctap2)) != nil {
            precondition(
                Write.cbor(plain(value)) == Write.cbor(Write.cose(key)),
                "a key has more than one encoding")
        }
        guard let fromSPKI = try? DevicePublicKey(spki: key.spki),
            let fromJWK = try? DevicePublicKey(jwk: key.jwk),
            let fromCOSE = try? DevicePublicKey(cose: Write.cose(key))
        else {
            preconditionFailure("a written key cannot be read again")
        }
        precondition(fromSPKI == key && fromJWK == key && fromCOSE == key)
    } catch { precondition(error.reason.isPrintable && !error.reason.isEmpty) }
}

/// Returns the key with the older identifier of its algorithm: -9 is -7 (ES256) on P-256, and -19
/// is -8 (EdDSA) with Ed25519.
private func plain(_ key: CBORValue) -> CBORValue {
    .map(
        (key.entries ?? []).map {
            switch ($0.key.integerValue, $0.value.integerValue) {
            case (3, -9): CBOREntry($0.key, CBORValue(integer: -7))
            case (3, -19): CBOREntry($0.key, CBORValue(integer: -8))
            default: $0
            }
        })
}
