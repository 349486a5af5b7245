import Crypto
import Foundation
import MienAPI
import MienCore

/// Reads any JSON as the message that contains an OTP token's secret, and a genuine message that is
/// changed as the bytes say.
///
/// Must hold: the result is an error, or the secret of the genuine message.
func fuzzHPKE(_ bytes: [UInt8]) {
    if let value = try? JSONText.parse(bytes),
        let answer = try? value.decoded(as: OTPTokenAnswer.self)
    {
        precondition(
            (try? answer.secret(with: key)) == nil, "a forged message is decrypted")
    }
    guard let kind = bytes.first else { return }
    var changed = genuine
    let rest = Array(bytes.dropFirst())
    switch kind % 5 {
    case 0: changed.encapsulatedKey = changing(changed.encapsulatedKey, rest)
    case 1: changed.encryptedSecret = changing(changed.encryptedSecret, rest)
    case 2: changed.encapsulatedKey = String(decoding: rest, as: UTF8.self)
    case 3: changed.encryptedSecret = String(decoding: rest, as: UTF8.self)
    default:
        (changed.appID, changed.tokenID) = (
            changed.appID + String(decoding: rest.prefix(8), as: UTF8.self), changed.tokenID
        )
    }
    let opened = try? changed.secret(with: key)
    precondition(
        (opened?.use { $0 } == secret) == (changed == genuine),
        "a changed message is decrypted, or the genuine one is not")
}

private let key = P256.KeyAgreement.PrivateKey()
private let secret = Array(UInt8(1)...32)
private let genuine: OTPTokenAnswer = {
    var sender = try! HPKE.Sender(
        recipientKey: key.publicKey, ciphersuite: .P256_SHA256_AES_GCM_256,
        info: Data(OTPTokenAnswer.info(app: "app", token: "aut_1")))
    let ciphertext = try! sender.seal(Data(secret))
    return OTPTokenAnswer(
        tokenID: "aut_1", appID: "app", kind: .known(.totp), algorithm: "SHA256", digits: 6,
        period: 30,
        counter: nil,
        signatureSuite: "OCRA-1:HOTP-SHA256-8:QH64",
        encapsulatedKey: Base64URL.encode([UInt8](sender.encapsulatedKey)),
        encryptedSecret: Base64URL.encode([UInt8](ciphertext)))
}()

/// Applies changes: pairs of index and mask.
private func changing(_ text: String, _ changes: [UInt8]) -> String {
    var bytes = Base64URL.decode(text)!
    for pair in stride(from: 0, to: changes.count - 1, by: 2) {
        bytes[Int(changes[pair]) % bytes.count] ^= changes[pair + 1]
    }
    return Base64URL.encode(bytes)
}
