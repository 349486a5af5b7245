internal import MienCore

/// A body of the type `multipart/form-data`.
struct FormBody {
    let contentType: String
    let bytes: [UInt8]

    init(_ parts: [(name: String, content: [UInt8])]) {
        var generator = SystemRandomNumberGenerator()
        // Random, so that no picture contains it.
        let boundary = "mien-" + Base64URL.encode(generator.bytes(24))
        var bytes: [UInt8] = []
        for (name, content) in parts {
            bytes += Array(
                "--\(boundary)\r\ncontent-disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
            bytes += content
            bytes += [0x0D, 0x0A]
        }
        self.bytes = bytes + Array("--\(boundary)--\r\n".utf8)
        contentType = "multipart/form-data; boundary=\(boundary)"
    }
}
