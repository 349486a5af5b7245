public import MienFace

/// The reason a record's file cannot be read. Contains no name and no template data.
public enum RecordError: Error, Sendable, Equatable {
    /// The file's name is not a record's file name.
    case fileName
    /// The path is a folder, a link, a pipe, …
    case notRegular
    /// The file is larger than any record.
    case size(Int)
    case seal(SealError)
    /// The record can be opened, but the field at this offset of its content is invalid.
    case content(at: Int)
    case template(FaceTemplateFormatError)
    case files(FileSystemError)

    /// A stable code for logs and scripts.
    public var code: String {
        switch self {
        case .fileName: "record.file-name"
        case .notRegular: "record.not-regular"
        case .size: "record.size"
        case .seal(let error): error.code
        case .content: "record.content"
        case .template(let error): error.code.rawValue
        case .files(let error): error.kind.rawValue
        }
    }
}

extension RecordError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .fileName: "\(code): not a record's file name"
        case .notRegular: "\(code): not a regular file"
        case .size(let size): "\(code): \(size) bytes is too large for a record"
        case .seal(let error): error.description
        case .content(let offset): "\(code): invalid at byte \(offset) of the content"
        case .template(let error): error.description
        case .files(let error): error.description
        }
    }
}
