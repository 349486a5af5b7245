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
    /// What, where, why, and what to do.
    public var description: String { "\(path) \(Self.words(for: operation)): \(why)" }

    private static func words(for operation: Operation) -> String {
        switch operation {
        case .read: "cannot be read"
        case .list: "cannot be looked into"
        case .makeFolder: "cannot be made"
        case .create, .write: "cannot be written"
        case .sync: "cannot be stored safely"
        case .rename, .link: "cannot be put into place"
        case .remove: "cannot be removed"
        case .lock: "cannot be locked"
        }
    }

    private var why: String {
        switch kind {
        case .alreadyExists: "something of that name is there already; remove it"
        case .notFound:
            "there is no such place; check the path, and that everything above it is there"
        case .notPermitted: "the present user may not; change the permissions, or use another place"
        case .noSpace: "the disk is full; make room"
        case .busy: "another program has been using it for seconds; try again when it has ended"
        case .failed: "the system refused, with error \(errno)"
        }
    }
}
