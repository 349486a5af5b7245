import MienFace

/// Any bytes as a cohort. What parses is written back as it was, but for the rounding of a member's
/// length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let cohort = try? Cohort(bytes: bytes) {
        precondition(cohort.bytes.count == bytes.count && cohort.count > 0)
    }
    return 0
}
