/// A model's description of one face: a vector of length 1. Faces of one person point in similar
/// directions.
///
/// - Shape: ``dimensions`` numbers, 1…1024; 128 in the default pack.
/// - Range: each finite, −1…1; the Euclidean norm is within ``normTolerance`` of 1.
/// - Meaning: only descriptors from the same model pack can be compared.
///
/// A descriptor is biometric data and is never printed. `print`, `dump`, and a failed test show
/// `‹face descriptor›`.
public struct FaceDescriptor: Sendable, Equatable {
    public static let dimensionRange = 1...1024

    /// Maximum deviation of a stored descriptor's norm from 1. Rounding a unit vector to `Float`
    /// changes it by less than 1e-7.
    public static let normTolerance = 1e-6

    /// Maximum deviation from 1 for a vector that is meant to have length 1.
    public static let acceptedNormError = 1e-3

    private let values: [Float]

    public var dimensions: Int { values.count }

    /// Creates a descriptor from a vector that already has length 1, apart from rounding. Scales
    /// the vector when its norm is more than ``normTolerance`` from 1; otherwise keeps it bit for
    /// bit.
    ///
    /// - Throws: ``FaceDescriptorError`` when the number of values is out of range, a value is not
    ///   finite, or the norm is more than ``acceptedNormError`` from 1.
    public init(_ values: [Float]) throws(FaceDescriptorError) {
        let norm = try Self.norm(of: values)
        guard abs(norm - 1) <= Self.acceptedNormError else { throw .norm(norm) }
        self.values =
            abs(norm - 1) <= Self.normTolerance ? values : Self.scaled(values, by: 1 / norm)
    }

    /// Creates a descriptor with the direction of a vector of any length, such as a model's output.
    ///
    /// - Throws: ``FaceDescriptorError`` when the number of values is out of range, a value is not
    ///   finite, or the norm is below 1e-6, because such a vector has no meaningful direction.
    public init(normalizing values: [Float]) throws(FaceDescriptorError) {
        let norm = try Self.norm(of: values)
        guard norm >= 1e-6 else { throw .norm(norm) }
        self.values = Self.scaled(values, by: 1 / norm)
    }

    /// Creates a descriptor from a stored vector. Does not scale it, so reading and writing returns
    /// the same bits.
    ///
    /// - Throws: ``FaceDescriptorError``; the norm must be within ``normTolerance`` of 1.
    init(stored values: [Float]) throws(FaceDescriptorError) {
        let norm = try Self.norm(of: values)
        guard abs(norm - 1) <= Self.normTolerance else { throw .norm(norm) }
        self.values = values
    }

    /// Lends the values, in order, for the duration of the call.
    public func withValues<T, E: Error>(_ body: (Span<Float>) throws(E) -> T) throws(E) -> T {
        // An array lends a span since iOS 26, a buffer pointer since iOS 12.
        try unsafe values.withUnsafeBufferPointer { buffer throws(E) in
            try unsafe body(buffer.span)
        }
    }

    /// Lends the values to code that needs an address. The pointer is valid only during the call.
    @unsafe public func withUnsafeValues<T, E: Error>(
        _ body: (UnsafeBufferPointer<Float>) throws(E) -> T
    ) throws(E) -> T {
        try unsafe values.withUnsafeBufferPointer(body)
    }
}

extension FaceDescriptor {
    /// Returns the Euclidean norm, summed in `Double`.
    private static func norm(of values: [Float]) throws(FaceDescriptorError) -> Double {
        guard dimensionRange.contains(values.count) else { throw .dimensions(values.count) }
        if let bad = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(at: bad) }
        return values.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    }

    private static func scaled(_ values: [Float], by factor: Double) -> [Float] {
        values.map { Float(Double($0) * factor) }
    }
}

extension FaceDescriptor: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹face descriptor›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason that numbers are not a valid descriptor. Reveals only their count, an index, or their
/// norm.
public enum FaceDescriptorError: Error, Sendable, Equatable {
    /// The number of values, which is not in ``FaceDescriptor/dimensionRange``.
    case dimensions(Int)
    /// The value at this index is infinite or NaN.
    case notFinite(at: Int)
    /// The vector's Euclidean norm, which is out of range.
    case norm(Double)
}
