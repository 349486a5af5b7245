internal import SystemQREncode

/// A QR code as the path of a picture in SVG, one unit for each module.
package struct QRCode: Sendable {
    /// Modules on each side, without the quiet zone.
    package let size: Int
    package let path: String

    /// - Returns: `nil` for a text that does not fit.
    package init?(_ text: String) {
        guard text.utf8.count <= 1000,
            let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let size = Int(unsafe code.pointee.width)
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                var end = column
                while end < size, unsafe code.pointee.data[row * size + end] & 1 == 1 { end += 1 }
                if end > column {
                    path += "M\(column) \(row)h\(end - column)v1H\(column)z"
                    column = end
                } else {
                    column += 1
                }
            }
        }
        (self.size, self.path) = (size, path)
    }
}
