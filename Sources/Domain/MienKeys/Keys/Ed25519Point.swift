/// Checks of an Ed25519 point that need no curve arithmetic.
enum Ed25519Point {
    /// The y coordinates of the points whose order divides 8, little-endian. Under such a key, one
    /// signature fits every message.
    private static let small: Set<[UInt8]> = [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef,
            0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
            0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10,
            0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
            0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
    ]

    static func check(_ bytes: [UInt8]) throws(KeyError) {
        guard bytes.count == 32 else {
            throw KeyError(.encoding, "an Ed25519 key must have 32 bytes")
        }
        // The top bit is the sign of x; the rest is y, which must be below 2^255 − 19.
        let y = bytes[..<31] + [bytes[31] & 0x7f]
        let isReduced = y[0] < 0xed || y[31] != 0x7f || y[1..<31].contains { $0 != 0xff }
        guard isReduced else {
            throw KeyError(.encoding, "the Ed25519 point is not in its canonical form")
        }
        guard !small.contains(Array(y)) else {
            throw KeyError(.point, "the Ed25519 point has a small order")
        }
    }
}
