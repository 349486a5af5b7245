/// The machine refused an operation on a file.
public struct FileSystemError: Error, Sendable, Equatable {
    public enum Operation: String, Sendable {
        case read, list, makeFolder = "make folder", create, write, sync, rename, link, remove, lock
    }

    public enum Kind: String, Sendable, CaseIterable {
        case alreadyExists = "files.already-exists"
        case notFound = "files.not-found"
        case notPermitted = "files.not-permitted"
        case noSpace = "files.no-space"
        case busy = "files.busy"
        case failed = "files.failed"
    }

    public let operation: Operation
    public let path: String
    public let kind: Kind
    /// The system's number for it, for a log.
    public let errno: Int32

    public init(_ operation: Operation, _ path: String, _ kind: Kind, errno: Int32) {
        (self.operation, self.path, self.kind, self.errno) = (operation, path, kind, errno)
    }
}

extension FileSystemError: CustomStringConvertible {
    public var description: String { "\(kind.rawValue): could not \(operation.rawValue) \(path) (errno \(errno))" }
}
