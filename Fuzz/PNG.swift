/// Reads any bytes as a PNG. Seeds: Tests/Engines/MienMediaTests/Image/Vectors/PNG.
func fuzzPNG(_ bytes: [UInt8]) { fuzzDecoder(bytes) }
