/// Reads any bytes as a JPEG. Seeds: Tests/Engines/MienMediaTests/Image/Vectors/JPEG.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    fuzzDecoder(UnsafeBufferPointer(start: start, count: count))
    return 0
}
