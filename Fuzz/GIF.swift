/// Reads any bytes as a GIF. Seeds: Tests/Engines/MienMediaTests/Image/Vectors/GIF.
func fuzzGIF(_ bytes: [UInt8]) { fuzzDecoder(bytes) }
