/// Why bytes are not the dlib archive that was expected, and where that showed.
public struct DlibArchiveError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The archive ends before the value does.
        case truncated(bytesMissing: Int)
        /// The length byte of an integer is none of 1...8, is more than the integer needs, or has a
        /// reserved bit set.
        case integerHeader(UInt8)
        /// An integer does not fit where it stands: beyond 64 bits, or a negative count.
        case integerRange
        /// A number, a weight or a pixel mean is infinite or not a number.
        case notFinite
        /// A flag is neither the character `0` nor `1`.
        case flag(UInt8)
        /// A text is not UTF-8, or longer than any that the format writes.
        case text
        /// A layer's or object's version is not the one this reader knows.
        case version(expected: String, found: String)
        /// A stated size, stride, padding or mode is not that of the network.
        case geometry(String, expected: [Int], found: [Int])
        /// Bytes follow the network.
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
        case .integerHeader(let byte): "\(byte) is no length of this integer"
        case .integerRange: "the integer is out of range"
        case .notFinite: "the number is not finite"
        case .flag(let byte): "\(byte) is no flag"
        case .text: "no text of the format"
        case .version(let expected, let found): "expected \(expected), found \(found)"
        case .geometry(let name, let expected, let found):
            "\(name): expected \(expected), found \(found)"
        case .trailing(let bytes): "\(bytes) byte(s) follow the network"
        }
    }
}
