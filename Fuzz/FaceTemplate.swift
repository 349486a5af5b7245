import MienFace

/// Reads any bytes as a face template. A parsed template is written back unchanged.
func fuzzFaceTemplate(_ bytes: [UInt8]) {
    if let template = try? FaceTemplate(bytes: bytes) {
        precondition(template.bytes == bytes, "a template has more than one encoding")
    }
}
