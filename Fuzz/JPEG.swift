/// Reads any bytes as a JPEG. Seeds: Tests/Engines/MienMediaTests/Image/Vectors/JPEG.
func fuzzJPEG(_ bytes: [UInt8]) { fuzzDecoder(bytes) }
