internal import MienCore
internal import MienKeys

/// Reads any bytes as a public key: SubjectPublicKeyInfo, a bare point, a JWK.
///
/// Must hold: the result is an error, or a key that stays the same in every form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let key = try? DevicePublicKey(spki: bytes) {
        precondition(key.spki == bytes)
        check(key)
    }
    if let json = try? JSONText.parse(bytes), let key = try? DevicePublicKey(jwk: json) {
        check(key)
    }
    return 0
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
