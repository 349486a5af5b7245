/// A failure of the face store. Contains paths, but no names or template data.
public enum FaceStoreError: Error, Sendable, Equatable {
    case key(KeyFileError)
    case files(FileSystemError)
    /// The name was not found, but these records cannot be opened and could contain it.
    case damaged([DamagedRecord])
    /// These files contain the same name. The store never does this, so they were copied by hand.
    /// Remove one.
    case nameTwice(paths: [String])
    /// The group or others can change the folder, and so remove records or add their own.
    case folderTooWide(path: String, mode: UInt32)
    /// The store has reached its maximum number of records.
    case full(limit: Int)

    /// A stable code for logs and scripts.
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
            "\(code): the same name is in several files; remove all but one: "
                + paths.joined(separator: " and ")
        case .folderTooWide(let path, let mode):
            "\(code): \(path) has mode 0\(String(mode, radix: 8)), so users other than its owner can change who is enrolled. Run: chmod 700 \(path)"
        case .full(let limit):
            "\(code): the store is full: it holds the maximum of \(limit) records"
        }
    }
}
