import MienFace

/// Reads any bytes as a cohort. A parsed cohort is written back unchanged, except for rounding of
/// the members' lengths.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let cohort = try? Cohort(bytes: bytes) {
        precondition(cohort.bytes.count == bytes.count && cohort.count > 0)
    }
    return 0
}
