internal import MienCore

/// A source of random bytes for keys, nonces, and file names.
public struct RandomSource: Sendable {
    private let make: @Sendable (_ count: Int) -> [UInt8]

    /// - Parameter make: returns exactly the requested number of bytes. Use anything but ``system``
    ///   only for tests and vectors.
    public init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

    /// The operating system's generator, suitable for keys.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return generator.bytes(count)
    }

    public func bytes(_ count: Int) -> [UInt8] {
        let bytes = make(count)
        precondition(
            bytes.count == count,
            "the random source returned \(bytes.count) bytes instead of \(count)")
        return bytes
    }
}
