internal import MienCore

/// Where random bytes come from: keys, nonces, file names.
public struct RandomSource: Sendable {
    private let make: @Sendable (_ count: Int) -> [UInt8]

    /// - Parameter make: gives exactly as many bytes as asked for. Anything but ``system`` is for
    ///   tests and vectors.
    public init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

    /// The operating system's generator, fit for keys.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return generator.bytes(count)
    }

    public func bytes(_ count: Int) -> [UInt8] {
        let bytes = make(count)
        precondition(bytes.count == count, "a random source gave \(bytes.count) bytes for \(count)")
        return bytes
    }
}
