/// A sealed record does not open. Says what and where, and nothing of the content.
public enum SealError: Error, Sendable, Equatable {
    /// The record ends early: after so many bytes.
    case truncated(at: Int)
    /// Bytes follow the record, from this offset on.
    case trailingBytes(at: Int)
    /// It does not start like a sealed record.
    case magic
    /// A format version this program does not read.
    case version(UInt16)
    /// A byte that must be zero is not.
    case reserved(at: Int)
    /// Sealed under another version of the master key.
    case keyVersion(UInt32)
    /// Sealed under another master key.
    case foreignKey
    /// Changed since it was sealed, or sealed for another purpose or under another identity.
    case refused

    /// Stable words for logs and scripts.
    public var code: String {
        switch self {
        case .truncated: "seal.truncated"
        case .trailingBytes: "seal.trailing-bytes"
        case .magic: "seal.magic"
        case .version: "seal.version"
        case .reserved: "seal.reserved"
        case .keyVersion: "seal.key-version"
        case .foreignKey: "seal.foreign-key"
        case .refused: "seal.refused"
        }
    }
}

extension SealError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let offset): "\(code): the record ends at byte \(offset)"
        case .trailingBytes(let offset): "\(code): the record goes on at byte \(offset)"
        case .magic: "\(code): not a sealed record"
        case .version(let version): "\(code): format version \(version) is not known"
        case .reserved(let offset): "\(code): byte \(offset) is not zero"
        case .keyVersion(let version): "\(code): sealed under version \(version) of the master key"
        case .foreignKey: "\(code): sealed under another master key"
        case .refused: "\(code): changed since it was sealed, or moved from another place"
        }
    }
}
