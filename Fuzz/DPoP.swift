import MienCore
import MienKeys

/// Reads any text as a DPoP proof, and any bytes as the payload of a signed proof.
///
/// Must hold: the result is an error that does not repeat the input, or a proof whose claims are
/// within the limits. A changed signature is refused.
func fuzzDPoP(_ bytes: [UInt8]) {
    check(String(decoding: bytes, as: UTF8.self))
    let input = header + "." + Base64URL.encode(bytes)
    guard let signature = try? signer.sign(Array(input.utf8)) else {
        preconditionFailure("the key cannot sign")
    }
    if let proof = check(input + "." + Base64URL.encode(signature)) {
        precondition(proof.key == signer.publicKey)
        var other = signature
        other[bytes.count % other.count] ^= 1
        precondition(
            (try? DPoPProof(compact: input + "." + Base64URL.encode(other))) == nil,
            "a changed signature is accepted")
    }
}

private let signer = try! SoftwareSigner.generate(.es256)
private let header = Base64URL.encode(
    Array(JSONText.write(["alg": "ES256", "typ": "dpop+jwt", "jwk": signer.publicKey.jwk]).utf8))

@discardableResult
private func check(_ text: String) -> DPoPProof? {
    do throws(DPoPProof.Invalid) {
        let proof = try DPoPProof(compact: text)
        precondition(
            (1...DPoPProof.maxIdentifierBytes).contains(proof.id.utf8.count)
                && !proof.address.contains("?") && !proof.address.contains("#"))
        return proof
    } catch {
        precondition(!error.reason.isEmpty && error.reason.utf8.count < 300)
        return nil
    }
}
