/// A vector in a quarter of its size: a byte for each element, a scale, and how far it is from the
/// vector that it stands for.
///
/// A product with it is uncertain by a known amount, so that a search can tell which faces it has to
/// compare in full precision.
///
/// It represents a person's face, so printing or dumping it shows nothing.
public struct CompactVector: Sendable, Equatable {
    /// −127…127 each.
    let bytes: [Int8]
    /// The vector is about `scale` times the bytes. Positive.
    let scale: Float
    /// At least the length of the difference.
    let error: Float

    /// - Precondition: every element is finite.
    public init(_ vector: [Float]) {
        let largest = vector.reduce(0) { max($0, abs($1)) }
        let scale = max(largest, .leastNormalMagnitude * 256) / 127
        let bytes = vector.map { Int8((($0 / scale).rounded()).clamped(to: -127...127)) }
        self.init(
            bytes: bytes, scale: scale,
            error: Self.distance(vector, bytes.lazy.map { Double($0) * Double(scale) }))
    }

    private init(bytes: [Int8], scale: Float, error: Float) {
        (self.bytes, self.scale, self.error) = (bytes, scale, error)
    }

    /// Returns at least the length of the difference.
    static func distance(_ vector: [Float], _ other: some Sequence<Double>) -> Float {
        let squares = zip(vector, other).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - pair.1
            return sum + difference * difference
        }
        return Float(squares.squareRoot() * (1 + 1e-6)).nextUp
    }
}

extension CompactVector: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
