/// A failed file operation.
public struct FileSystemError: Error, Sendable, Equatable {
    public enum Operation: String, Sendable {
        case read, list, makeFolder = "make folder", create, write, sync, rename, link, remove, lock
    }

    public enum Kind: String, Sendable, CaseIterable {
        case alreadyExists = "files.already-exists"
        case notFound = "files.not-found"
        case notPermitted = "files.not-permitted"
        case noSpace = "files.no-space"
        case readOnly = "files.read-only"
        case busy = "files.busy"
        case failed = "files.failed"
    }

    public let operation: Operation
    public let path: String
    public let kind: Kind
    /// The system's error number, for logs.
    public let errno: Int32

    public init(_ operation: Operation, _ path: String, _ kind: Kind, errno: Int32) {
        (self.operation, self.path, self.kind, self.errno) = (operation, path, kind, errno)
    }
}

extension FileSystemError: CustomStringConvertible {
    /// The path, the failed operation, the reason, and the remedy.
    public var description: String { "\(path) \(Self.words(for: operation)): \(why)" }

    private static func words(for operation: Operation) -> String {
        switch operation {
        case .read: "cannot be read"
        case .list: "cannot be listed"
        case .makeFolder: "cannot be created"
        case .create, .write: "cannot be written"
        case .sync: "cannot be stored safely"
        case .rename, .link: "cannot be moved into place"
        case .remove: "cannot be removed"
        case .lock: "cannot be locked"
        }
    }

    private var why: String {
        switch kind {
        case .alreadyExists: "something with that name already exists; remove it"
        case .notFound:
            "the path does not exist; check it and its parent folders"
        case .notPermitted: "permission denied; change the permissions, or use another path"
        case .noSpace: "the disk is full; free some space"
        case .readOnly: "the file system is read-only; mount it for writing, or use another path"
        case .busy:
            "another program has been using it for several seconds; try again when that program has ended"
        case .failed: "the system reported error \(errno)"
        }
    }
}
