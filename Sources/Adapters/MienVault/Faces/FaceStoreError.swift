/// The store could not do what was asked. Holds paths, never a name or anything of a template.
public enum FaceStoreError: Error, Sendable, Equatable {
    case key(KeyFileError)
    case files(FileSystemError)
    /// Nobody of that name was found, but these records do not open and could be theirs.
    case damaged([DamagedRecord])
    /// These files hold the same name: put there by hand, as the store never does. Remove one.
    case nameTwice(paths: [String])
    /// Group or others may change the folder: take records away, or put in ones of their own
    /// choice.
    case folderTooWide(path: String, mode: UInt32)
    /// The store holds as many records as it may.
    case full(limit: Int)

    /// Stable words for logs and scripts.
    public var code: String {
        switch self {
        case .key(let error): error.code
        case .files(let error): error.kind.rawValue
        case .damaged: "faces.damaged"
        case .nameTwice: "faces.name-twice"
        case .folderTooWide: "faces.folder-mode"
        case .full: "faces.full"
        }
    }
}

extension FaceStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .key(let error): error.description
        case .files(let error): error.description
        case .damaged(let records):
            "\(code): not found, but \(records.count) record(s) cannot be read: "
                + records.map(\.description).joined(separator: "; ")
        case .nameTwice(let paths):
            "\(code): the same name is in " + paths.joined(separator: " and ")
        case .folderTooWide(let path, let mode):
            "\(code): \(path) has mode 0\(String(mode, radix: 8)), so others than its owner can change who is enrolled. Run: chmod 700 \(path)"
        case .full(let limit): "\(code): the store holds \(limit) records, its limit"
        }
    }
}
