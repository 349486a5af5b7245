/// A master key at rest: 32 random bytes in a regular file of mode 0600 that belongs to whoever
/// runs this program.
public struct KeyFile: Sendable {
    public let path: String
    private let files: any FileSystem

    public init(path: String, files: any FileSystem = POSIXFileSystem()) {
        (self.path, self.files) = (path, files)
    }

    /// The key, or `nil` when there is no such file.
    ///
    /// - Throws: ``KeyFileError`` when it is not a regular file, belongs to someone else, can be
    ///   touched by anyone but its owner, or has a size other than 32 bytes.
    public func load() throws(KeyFileError) -> MasterKey? {
        guard
            let contents = try attempt({ () throws(FileSystemError) in
                try files.read(path, atMost: MasterKey.size)
            })
        else { return nil }
        guard contents.isRegular else { throw .notRegular(path: path) }
        guard contents.owner == files.currentUser else {
            throw .notOwned(path: path, owner: contents.owner, user: files.currentUser)
        }
        guard contents.mode & 0o077 == 0 else { throw .tooWide(path: path, mode: contents.mode) }
        guard contents.size == MasterKey.size, contents.bytes.count == MasterKey.size else {
            throw .size(path: path, contents.size)
        }
        return MasterKey(bytes: contents.bytes)
    }

    /// Makes the key, and its folder with mode 0700 when there is none. What is there already is
    /// never replaced.
    ///
    /// After a crash there is the whole key or none. Two processes at once: one makes the key, the
    /// other gets that one.
    /// - Throws: ``KeyFileError``
    public func create(random: RandomSource = .system) throws(KeyFileError) -> MasterKey {
        let bytes = random.bytes(MasterKey.size)
        let temporary =
            "\(folder)/\(temporaryPrefix)\(hexadecimal(random.bytes(8)))\(temporarySuffix)"
        do throws(FileSystemError) {
            try files.ensureFolder(folder)
            try files.writeNewFile(temporary, bytes)
            defer { try? files.remove(temporary) }
            // A link, unlike a rename, fails when the name is taken.
            try files.link(temporary, to: path)
            try files.syncFolder(folder)
        } catch {
            guard error.operation == .link, error.kind == .alreadyExists else {
                throw .files(error)
            }
            guard let existing = try load() else { throw .missing(path: path) }
            return existing
        }
        return MasterKey(bytes: bytes)
    }

    /// The key; made when there is none and nothing was sealed yet.
    ///
    /// Call it while holding the lock of whatever was sealed: it sweeps what an interrupted
    /// ``create(random:)`` left. When `sealedRecordsExist`, none is made: a new key could not open
    /// them, and would hide that the right one is lost.
    /// - Throws: ``KeyFileError/missing(path:)`` in that case.
    public func loadOrCreate(sealedRecordsExist: Bool, random: RandomSource = .system)
        throws(KeyFileError) -> MasterKey
    {
        try attempt { () throws(FileSystemError) in
            try files.ensureFolder(folder)
            try files.sweep(folder, prefix: temporaryPrefix)
        }
        if let key = try load() {
            // Whoever made it may have been killed before its name was durable.
            try attempt { () throws(FileSystemError) in try files.syncFolder(folder) }
            return key
        }
        guard !sealedRecordsExist else { throw .missing(path: path) }
        return try create(random: random)
    }

    private var folder: String { parentFolder(of: path) }
    private var temporaryPrefix: String { ".\(path.split(separator: "/").last ?? "key")." }

    private func attempt<T>(_ body: () throws(FileSystemError) -> T) throws(KeyFileError) -> T {
        do { return try body() } catch { throw .files(error) }
    }
}
