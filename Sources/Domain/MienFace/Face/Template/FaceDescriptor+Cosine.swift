extension FaceDescriptor {
    /// Returns the cosine of the angle to `other`: 1 for the same direction, 0 for unrelated ones,
    /// −1 for the opposite.
    ///
    /// Summed in eight `Float` lanes, so the last digits can differ from a plain sum. The same two
    /// descriptors always give the same number, in either order. Clamped to −1…1.
    ///
    /// - Precondition: Both have the same ``dimensions``.
    /// - Returns: −1…1.
    public func cosine(with other: FaceDescriptor) -> Float {
        precondition(
            dimensions == other.dimensions,
            "cannot compare descriptors of \(dimensions) and \(other.dimensions) dimensions")
        let dot = unsafe withUnsafeValues { a in
            unsafe other.withUnsafeValues { b in unsafe Self.dot(a, b) }
        }
        return min(max(dot, -1), 1)
    }

    private static func dot(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>)
        -> Float
    {
        let lanes = 8
        let (rawA, rawB) = (UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
        let vectorized = a.count - a.count % lanes
        var sums = SIMD8<Float>.zero
        for i in stride(from: 0, to: vectorized, by: lanes) {
            let offset = i * MemoryLayout<Float>.stride
            unsafe sums +=
                rawA.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                * rawB.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        }
        var sum = sums.sum()
        for i in vectorized..<a.count { unsafe sum += a[i] * b[i] }
        return sum
    }
}
