internal import Foundation

/// A hash of a face's picture that survives re-encoding: the signs of 256 low frequencies of its
/// patch.
///
/// Two hashes of one picture with different compression differ in a few bits; hashes of two
/// pictures of one person differ in more. For the numbers, see docs/measurements/replay.md. A hash
/// shows a coarse image of a person, so it is never printed and is stored sealed.
public struct ReplayHash: Sendable, Hashable {
    public static let bits = 256
    /// The largest distance between two hashes of the same picture.
    public static let near = 24
    /// Frequencies 1...16 in each direction, that is, detail down to four pixels of the patch.
    private static let frequencies = 16

    let words: SIMD4<UInt64>

    init(words: SIMD4<UInt64>) { self.words = words }

    public init(_ patch: FacePatch) {
        let side = FacePatch.side, n = Self.frequencies, basis = Self.basis
        // Columns first, then rows: the transform is separable.
        var rows = [Float](repeating: 0, count: n * side)
        for v in 0..<n {
            for y in 0..<side {
                let weight = basis[v * side + y]
                for x in 0..<side {
                    rows[v * side + x] += weight * Float(patch.brightness[y * side + x])
                }
            }
        }
        var words = SIMD4<UInt64>()
        for v in 0..<n {
            for u in 0..<n {
                var sum: Float = 0
                for x in 0..<side { sum += basis[u * side + x] * rows[v * side + x] }
                if sum > 0 { words[(v * n + u) / 64] |= 1 << UInt64((v * n + u) % 64) }
            }
        }
        self.words = words
    }

    /// Returns the number of bits in which the hashes differ, 0...256. Unrelated pictures differ in
    /// half of them.
    public func distance(to other: ReplayHash) -> Int {
        let different = words ^ other.words
        return different[0].nonzeroBitCount + different[1].nonzeroBitCount
            + different[2].nonzeroBitCount + different[3].nonzeroBitCount
    }

    /// Returns whether both hashes are of one picture. The first word settles most pairs of
    /// different pictures.
    public func isNear(_ other: ReplayHash) -> Bool {
        var distance = 0
        for i in 0..<4 {
            distance += (words[i] ^ other.words[i]).nonzeroBitCount
            if distance > Self.near { return false }
        }
        return true
    }

    private static let basis: [Float] = (0..<frequencies).flatMap { u in
        (0..<FacePatch.side).map { x in
            Float(cos(Double.pi * Double(u + 1) * (Double(x) + 0.5) / Double(FacePatch.side)))
        }
    }
}

extension ReplayHash: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹replay hash›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
