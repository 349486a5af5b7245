public import MienFace

/// Why a record's file does not give a face. Holds no name and nothing of the template.
public enum RecordError: Error, Sendable, Equatable {
    /// The file is not named like a record.
    case fileName
    /// A folder, a link, a pipe …
    case notRegular
    /// Larger than any record.
    case size(Int)
    case seal(SealError)
    /// The record opens, but the field at this offset of its content is wrong.
    case content(at: Int)
    case template(FaceTemplateFormatError)
    case files(FileSystemError)

    /// Stable words for logs and scripts.
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
        case .fileName: "\(code): not the name of a record"
        case .notRegular: "\(code): not a regular file"
        case .size(let size): "\(code): \(size) bytes are more than a record has"
        case .seal(let error): error.description
        case .content(let offset): "\(code): wrong at byte \(offset) of the content"
        case .template(let error): error.description
        case .files(let error): error.description
        }
    }
}
