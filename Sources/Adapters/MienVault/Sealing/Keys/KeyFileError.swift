/// An unusable master key. The description gives the remedy and never contains the key.
public enum KeyFileError: Error, Sendable, Equatable {
    /// Sealed records exist, but the key that opens them does not.
    case missing(path: String)
    /// The group or others can read or write the file.
    case tooWide(path: String, mode: UInt32)
    /// The path is a folder, a symbolic link, a device, …
    case notRegular(path: String)
    case notOwned(path: String, owner: UInt32, user: UInt32)
    /// The file has this number of bytes.
    case size(path: String, Int)
    /// The file has several keys, and its bytes were changed.
    case damaged(path: String)
    /// The keys are wrapped, but the settings name no wrapper, or one of another kind.
    case wrapped(path: String, by: String)
    /// The keys are in clear, but the settings say how they are wrapped.
    case notWrapped(path: String, kind: String)
    /// The key that protects the file cannot be used.
    case wrapper(String, KeyWrapperError)
    case files(FileSystemError)

    /// A stable code for logs and scripts.
    public var code: String {
        switch self {
        case .missing: "key.missing"
        case .tooWide: "key.mode"
        case .notRegular: "key.not-regular"
        case .notOwned: "key.owner"
        case .size: "key.size"
        case .damaged: "key.damaged"
        case .wrapped: "key.wrapped"
        case .notWrapped: "key.not-wrapped"
        case .wrapper(_, let error): error.code
        case .files(let error): error.kind.rawValue
        }
    }
}

extension KeyFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path):
            "\(code): key file missing: \(path). Sealed records exist, and only that key can open them. Restore it from a backup."
        case .tooWide(let path, let mode):
            "\(code): \(path) has mode 0\(String(mode, radix: 8)), so users other than its owner can use the key. Run: chmod 600 \(path)"
        case .notRegular(let path):
            "\(code): \(path) is not a regular file"
        case .notOwned(let path, let owner, let user):
            "\(code): \(path) belongs to user \(owner), but this program runs as user \(user)"
        case .size(let path, let size):
            "\(code): \(path) has \(size) bytes instead of \(MasterKey.size)"
        case .damaged(let path):
            "\(code): \(path) is neither one key of \(MasterKey.size) bytes nor an unchanged list of keys. Restore it from a backup."
        case .wrapped(let path, let kind):
            "\(code): the keys in \(path) are wrapped by \(kind). Set key.source to \(kind), or run mien master-key move to protect them otherwise."
        case .notWrapped(let path, let kind):
            "\(code): the keys in \(path) are in clear, but key.source is \(kind). Stop the server and run mien master-key move to wrap them."
        case .wrapper(let path, let error):
            "\(error.code): the keys in \(path) cannot be opened: \(error.reason)"
        case .files(let error):
            error.description
        }
    }
}
