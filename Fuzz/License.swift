import MienCore
import MienKeys

/// Reads any text as a license, and any bytes as the payload of a license that the server signed.
///
/// Must hold: only what the server signed is a license, and a valid license is for this product,
/// this device, and this time.
func fuzzLicense(_ bytes: [UInt8]) {
    precondition(judge(String(decoding: bytes, as: UTF8.self)) == .notGenuine)
    let input = header + "." + Base64URL.encode(bytes)
    guard let signature = try? signer.sign(Array(input.utf8)) else {
        preconditionFailure("the key cannot sign")
    }
    if case .valid(let license) = judge(input + "." + Base64URL.encode(signature)) {
        precondition(
            license.product == product && license.device == device && now < license.expiresAt)
        precondition(license.issuedAt <= now + License.clockTolerance)
    }
}

private let signer = try! SoftwareSigner.generate(.es256)
private let header = Base64URL.encode(
    Array(JSONText.write(["alg": "ES256", "typ": .string(License.type)]).utf8))
private let product = "face-login", device = String(repeating: "A", count: License.deviceLength)
private let now = Instant(milliseconds: 1_800_000_000_000)

private func judge(_ text: String) -> License.Verdict {
    License.judge(text, signedBy: signer.publicKey, product: product, device: device, at: now)
}
