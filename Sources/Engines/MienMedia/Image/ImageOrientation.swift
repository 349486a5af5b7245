/// The transformation that turns a file's rows upright: EXIF orientation 1...8, each named after
/// its operation.
///
/// Source: Exif 3.0 §4.6.5, tag 0112. Rotations are clockwise.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    case asStored = 1
    case mirror = 2  // left and right
    case turn180 = 3
    case flip = 4  // top and bottom
    case transpose = 5  // about the diagonal from the top left
    case turn90 = 6
    case transverse = 7  // about the diagonal from the top right
    case turn270 = 8

    /// Whether width and height are exchanged.
    public var swapsSides: Bool { rawValue >= 5 }

    /// Reads the orientation from a TIFF structure, the form of EXIF data.
    ///
    /// - Parameter bytes: Untrusted bytes, starting with the byte-order mark "II*\0" or "MM\0*" and
    ///   the offset of the first directory.
    /// - Returns: `nil` when the orientation is missing or malformed. Never traps; reads at most
    ///   65,535 entries.
    public init?(tiff bytes: Span<UInt8>) {
        let little: Bool
        if bytes.begins(with: [0x49, 0x49, 0x2A, 0]) {
            little = true
        } else if bytes.begins(with: [0x4D, 0x4D, 0, 0x2A]) {
            little = false
        } else {
            return nil
        }
        func number16(at offset: Int) -> Int? {
            little ? bytes.little16(at: offset) : bytes.big16(at: offset)
        }
        func number32(at offset: Int) -> Int? {
            little ? bytes.little32(at: offset) : bytes.big32(at: offset)
        }

        guard let directory = number32(at: 4), let count = number16(at: directory) else {
            return nil
        }
        for entry in stride(from: directory + 2, to: directory + 2 + 12 * count, by: 12) {
            guard let tag = number16(at: entry) else { return nil }
            guard tag == 0x0112 else { continue }
            // The standard says SHORT; some cameras write BYTE, LONG, or a signed type, which other
            // readers accept, too. The number is at the start of the entry's four bytes of data.
            guard number32(at: entry + 4) == 1 else { return nil }
            let value: Int? =
                switch number16(at: entry + 2) {
                case 1, 6: bytes.byte(at: entry + 8).map(Int.init)
                case 3, 8: number16(at: entry + 8)
                case 4, 9: number32(at: entry + 8)
                default: nil
                }
            guard let value else { return nil }
            self.init(rawValue: value)
            return
        }
        return nil
    }
}
