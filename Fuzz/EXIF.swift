import MienMedia

/// Reads any bytes as the TIFF structure of EXIF data. Seeds:
/// Tests/Engines/MienMediaTests/Image/Vectors/EXIF.
func fuzzEXIF(_ bytes: [UInt8]) {
    _ = ImageOrientation(tiff: bytes.span)
}
