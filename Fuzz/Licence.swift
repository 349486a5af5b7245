import MienCore
import MienKeys

/// Reads any text as a license, and any bytes as the payload of a license that the server signed.
///
/// Must hold: only what the server signed is a license, and a valid license is for this product,
/// this device, and this time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    precondition(judge(String(decoding: bytes, as: UTF8.self)) == .notGenuine)
    let input = header + "." + Base64URL.encode(bytes)
    guard let signature = try? signer.sign(Array(input.utf8)) else {
        preconditionFailure("the key cannot sign")
    }
    if case .valid(let licence) = judge(input + "." + Base64URL.encode(signature)) {
        precondition(
            licence.product == product && licence.device == device && now < licence.expiresAt)
        precondition(licence.issuedAt <= now + Licence.clockTolerance)
    }
    return 0
}

private let signer = try! SoftwareSigner.generate(.es256)
private let header = Base64URL.encode(
    Array(JSONText.write(["alg": "ES256", "typ": .string(Licence.type)]).utf8))
private let product = "face-login", device = String(repeating: "A", count: Licence.deviceLength)
private let now = Instant(milliseconds: 1_800_000_000_000)

private func judge(_ text: String) -> Licence.Verdict {
    Licence.judge(text, signedBy: signer.publicKey, product: product, device: device, at: now)
}
