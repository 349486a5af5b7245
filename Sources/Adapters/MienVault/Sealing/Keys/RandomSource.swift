internal import MienCore

#if canImport(Glibc)
internal import Glibc
#endif

/// A source of random bytes for keys, nonces, and file names.
public struct RandomSource: Sendable {
    private let make: @Sendable (_ count: Int) -> [UInt8]

    /// - Parameter make: returns exactly the requested number of bytes. Use anything but ``system``
    ///   only for tests and vectors.
    public init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

    /// The operating system's generator, suitable for keys.
    public static let system = RandomSource { count in
        #if canImport(Glibc)
        // Swift's own generator makes a kernel call for every eight bytes.
        var bytes = [UInt8](repeating: 0, count: count)
        let most = 256
        for start in stride(from: 0, to: count, by: most) {
            let status = unsafe bytes[start..<min(count, start + most)].withUnsafeMutableBytes {
                unsafe getentropy($0.baseAddress!, $0.count)
            }
            precondition(status == 0, "the system gives no random bytes")
        }
        return bytes
        #else
        var generator = SystemRandomNumberGenerator()
        return generator.bytes(count)
        #endif
    }

    public func bytes(_ count: Int) -> [UInt8] {
        let bytes = make(count)
        precondition(
            bytes.count == count,
            "the random source returned \(bytes.count) bytes instead of \(count)")
        return bytes
    }
}
