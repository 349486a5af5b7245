/// The reason that bytes are not the expected dlib archive, and the offset of the error.
public struct DlibArchiveError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The archive ends before the value does.
        case truncated(bytesMissing: Int)
        /// The length byte of an integer is not one of 1...8, is greater than the integer needs, or
        /// has a reserved bit set.
        case integerHeader(UInt8)
        /// An integer is out of range for its use: beyond 64 bits, or a negative count.
        case integerRange
        /// A number, a weight, or a pixel mean is infinite or not a number.
        case notFinite
        /// A flag is neither the character `0` nor the character `1`.
        case flag(UInt8)
        /// A text is not UTF-8, or is longer than any text in the format.
        case text
        /// The version of a layer or object is unknown to this reader.
        case version(expected: String, found: String)
        /// A size, stride, padding, or mode in the archive is not that of the network.
        case geometry(String, expected: [Int], found: [Int])
        /// The archive continues after the network.
        case trailing(bytes: Int)
    }

    public let reason: Reason
    /// The position in the archive, in bytes, at which the value in question starts.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

extension DlibArchiveError: CustomStringConvertible {
    public var description: String { "dlib archive, byte \(offset): \(reason)" }
}

extension DlibArchiveError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let missing): "ends \(missing) byte(s) too early"
        case .integerHeader(let byte): "\(byte) is not a valid length of this integer"
        case .integerRange: "the integer is out of range"
        case .notFinite: "the number is not finite"
        case .flag(let byte): "\(byte) is not a flag"
        case .text: "the text is not UTF-8 or is too long"
        case .version(let expected, let found): "expected \(expected), found \(found)"
        case .geometry(let name, let expected, let found):
            "\(name): expected \(expected), found \(found)"
        case .trailing(let bytes): "\(bytes) byte(s) follow the network"
        }
    }
}
