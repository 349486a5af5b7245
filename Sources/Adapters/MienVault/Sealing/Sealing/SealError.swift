/// The reason a sealed record cannot be opened. Reveals nothing about the content.
public enum SealError: Error, Sendable, Equatable {
    /// The record ends early, after this number of bytes.
    case truncated(at: Int)
    /// Extra bytes follow the record from this offset.
    case trailingBytes(at: Int)
    /// The data does not start like a sealed record.
    case magic
    /// This program does not support the format version.
    case version(UInt16)
    /// A reserved byte is not zero.
    case reserved(at: Int)
    /// The record was sealed under another version of the master key.
    case keyVersion(UInt32)
    /// The record was sealed under another master key.
    case foreignKey
    /// The record was changed after sealing, or sealed for another purpose or identity.
    case refused

    /// A stable code for logs and scripts.
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
        case .trailingBytes(let offset): "\(code): unexpected data at byte \(offset)"
        case .magic: "\(code): not a sealed record"
        case .version(let version): "\(code): unknown format version \(version)"
        case .reserved(let offset): "\(code): byte \(offset) is not zero"
        case .keyVersion(let version): "\(code): sealed under version \(version) of the master key"
        case .foreignKey: "\(code): sealed under another master key"
        case .refused: "\(code): changed after sealing, or copied from another record"
        }
    }
}
