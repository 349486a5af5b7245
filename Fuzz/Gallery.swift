internal import MienCore

/// Reads any bytes as what servers ask and answer each other about faces in memory. Seeds:
/// Fuzz/Seeds/Gallery.
///
/// Must hold: the result is an error, or a message that is written as the same bytes, within the
/// limits.
func fuzzGallery(_ bytes: [UInt8]) {
    if let again = GalleryMessage.rewritten(query: bytes) {
        precondition(again == bytes, "a query has more than one encoding")
        precondition(GalleryMessage.rewritten(answer: bytes) == nil)
    }
    if let again = GalleryMessage.rewritten(answer: bytes) {
        precondition(again == bytes, "an answer has more than one encoding")
        precondition(bytes.count <= GalleryMessage.maxBytes)
    }
}
