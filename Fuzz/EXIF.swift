import MienMedia

/// Reads any bytes as the TIFF structure of EXIF data. Seeds:
/// Tests/Engines/MienMediaTests/Image/Vectors/EXIF.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let file = [UInt8](UnsafeBufferPointer(start: start, count: count))
    _ = ImageOrientation(tiff: file.span)
    return 0
}
