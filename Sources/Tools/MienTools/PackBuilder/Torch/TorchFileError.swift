/// The reason that bytes are not a file of tensors that this reader accepts, and the offset of the
/// error.
public struct TorchFileError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The file ends before the value does.
        case truncated(bytesMissing: Int)
        /// The file is larger than any network that this reader is for.
        case tooLarge(bytes: Int)
        /// A pickle's instruction that files of tensors do not use.
        case instruction(UInt8)
        /// A pickle refers to a name that is not one of the four allowed. The name itself is not
        /// repeated, because anyone may have written it.
        case global
        /// An instruction needs a value of another kind, or one that is not there.
        case value(String)
        /// A limit of the reader: too many values, too deeply nested, or too long.
        case limit(String)
        /// The file's format is not the one expected.
        case format(String)
        /// A tensor's shape, or its part of the storage, is impossible.
        case tensor(String)
        /// The numbers in the file differ from their declaration.
        case storage(String)
        /// A weight is infinite or not a number.
        case notFinite
        /// The file continues after its numbers.
        case trailing(bytes: Int)
    }

    public let reason: Reason
    /// The position in the file, in bytes, at which the instruction or value in question starts.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

extension TorchFileError: CustomStringConvertible {
    public var description: String { "PyTorch file, byte \(offset): \(reason)" }
}

extension TorchFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let missing): "ends \(missing) byte(s) too early"
        case .tooLarge(let bytes): "\(bytes) bytes are more than the allowed \(TorchFile.sizeLimit)"
        case .instruction(let code): "instruction \(code) is not allowed"
        case .global:
            "refers to a name other than "
                + PickleGlobal.allCases.map(\.rawValue).joined(separator: ", ")
        case .value(let expected): "expected \(expected)"
        case .limit(let what): what
        case .format(let expected): "expected \(expected)"
        case .tensor(let what): what
        case .storage(let what): what
        case .notFinite: "the number is not finite"
        case .trailing(let bytes): "\(bytes) byte(s) follow the numbers"
        }
    }
}
