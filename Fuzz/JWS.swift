internal import MienCore
internal import MienKeys

/// Reads any text as a signed message.
///
/// Must hold: the result is an error, or a message whose parts are no longer than the text and
/// whose signature does not verify with an unrelated key.
func fuzzJWS(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let message = try? JWS.parse(compact: text) else { return }
    precondition(message.unverifiedPayload.count + message.signature.count <= text.utf8.count)
    // The public key of a random key pair.
    precondition((try? message.verify(with: stranger.publicKey)) == nil)
    if let key = message.key { _ = try? message.verify(with: key) }
}

private let stranger = try! SoftwareSigner.generate(.es256)
