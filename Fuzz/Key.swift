internal import MienCore
internal import MienKeys

/// Reads any bytes as a public key: SubjectPublicKeyInfo, a bare point, a JWK.
///
/// Must hold: the result is an error, or a key that stays the same in every form.
func fuzzKey(_ bytes: [UInt8]) {
    if let key = try? DevicePublicKey(spki: bytes) {
        precondition(key.spki == bytes)
        check(key)
    }
    if let json = try? JSONText.parse(bytes), let key = try? DevicePublicKey(jwk: json) {
        check(key)
    }
}

private func check(_ key: DevicePublicKey) {
    guard let fromSPKI = try? DevicePublicKey(spki: key.spki),
        let fromJWK = try? DevicePublicKey(jwk: key.jwk)
    else {
        preconditionFailure("a written key cannot be read again")
    }
    precondition(fromSPKI == key && fromJWK == key)
    precondition(!key.isValid([UInt8](repeating: 1, count: 64), over: [1, 2, 3]))
}
