internal import MienCore
internal import MienKeys

/// Reads any text as a signed message.
///
/// Must hold: the result is an error, or a message whose parts are no longer than the text and
/// whose signature does not verify with an unrelated key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let message = try? JWS.parse(compact: text) else { return 0 }
    precondition(message.unverifiedPayload.count + message.signature.count <= text.utf8.count)
    // The public key of a random key pair.
    precondition((try? message.verify(with: stranger.publicKey)) == nil)
    if let key = message.key { _ = try? message.verify(with: key) }
    return 0
}

private let stranger = try! SoftwareSigner.generate(.es256)
