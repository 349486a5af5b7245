import MienFace

/// Reads any bytes as a face template. A parsed template is written back unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let template = try? FaceTemplate(bytes: bytes) {
        precondition(template.bytes == bytes, "a template has more than one encoding")
    }
    return 0
}
