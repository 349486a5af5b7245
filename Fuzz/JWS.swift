internal import MienCore
internal import MienKeys

/// Any text as a signed message.
///
/// What must hold: an error, or a message whose parts are no longer than the text; and nobody's key
/// has signed it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let message = try? JWS.parse(compact: text) else { return 0 }
    precondition(message.unverifiedPayload.count + message.signature.count <= text.utf8.count)
    // A random key's: made once.
    precondition((try? message.verify(with: stranger.publicKey)) == nil)
    if let key = message.key { _ = try? message.verify(with: key) }
    return 0
}

private let stranger = try! SoftwareSigner.generate(.es256)
