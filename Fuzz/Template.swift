import MienFace

/// Any bytes as a face template. What parses is written back as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let template = try? FaceTemplate(bytes: bytes) {
        precondition(template.bytes == bytes, "one form for one template")
    }
    return 0
}
