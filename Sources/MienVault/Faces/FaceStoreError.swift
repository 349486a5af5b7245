/// The store could not do what was asked. Holds paths, never a name or anything of a template.
public enum FaceStoreError: Error, Sendable, Equatable {
    case key(KeyFileError)
    case files(FileSystemError)
    /// Nobody of that name was found, but these records do not open and could be theirs.
    case damaged([DamagedRecord])
    /// These files hold the same name: put there by hand, as the store never does. Remove one.
    case nameTwice(paths: [String])
    /// The store holds as many records as it may.
    case full(limit: Int)

    /// Stable words for logs and scripts.
    public var code: String {
        switch self {
        case .key(let error): error.code
        case .files(let error): error.kind.rawValue
        case .damaged: "faces.damaged"
        case .nameTwice: "faces.name-twice"
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
            "\(code): not found, but \(records.count) record(s) cannot be read: " + records.map(\.description).joined(separator: "; ")
        case .nameTwice(let paths): "\(code): the same name is in " + paths.joined(separator: " and ")
        case .full(let limit): "\(code): the store holds \(limit) records, its limit"
        }
    }
}
