/// A stored master key: 32 random bytes in a regular file with mode 0600, owned by the user who
/// runs this program.
///
/// The keys of a server may be wrapped with a key that is kept elsewhere. Then the file never
/// contains a key in clear.
public struct KeyFile: Sendable {
    public let path: String
    /// Protects the keys of a server; `nil` if they are in the file as they are.
    public let wrapper: (any KeyWrapper)?
    private let files: any FileSystem

    public init(
        path: String, wrapper: (any KeyWrapper)? = nil, files: any FileSystem = POSIXFileSystem()
    ) {
        (self.path, self.wrapper, self.files) = (path, wrapper, files)
    }

    /// Reads the key; returns `nil` if the file does not exist.
    ///
    /// - Throws: ``KeyFileError`` if it is not a regular file, belongs to another user, is
    ///   accessible to anyone but its owner, or does not have 32 bytes.
    public func load() throws(KeyFileError) -> MasterKey? {
        guard let contents = try contents(atMost: MasterKey.size) else { return nil }
        guard contents.size == MasterKey.size, contents.bytes.count == MasterKey.size else {
            throw .size(path: path, contents.size)
        }
        return MasterKey(bytes: contents.bytes)
    }

    /// Creates the key, and its folder with mode 0700 if needed. Never replaces an existing file.
    ///
    /// After a crash, the file is either complete or missing. If two processes run this at once,
    /// one creates the key and the other gets the same key.
    ///
    /// - Throws: ``KeyFileError``
    public func create(random: RandomSource = .system) throws(KeyFileError) -> MasterKey {
        let bytes = random.bytes(MasterKey.size)
        guard try publish(bytes, random: random) else {
            guard let existing = try load() else { throw .missing(path: path) }
            return existing
        }
        return MasterKey(bytes: bytes)
    }

    /// Writes the file, unless there is one.
    ///
    /// - Returns: `false` if there is one.
    private func publish(_ bytes: [UInt8], random: RandomSource) throws(KeyFileError) -> Bool {
        let temporary =
            "\(folder)/\(temporaryPrefix)\(hexadecimal(random.bytes(8)))\(temporarySuffix)"
        do throws(FileSystemError) {
            try files.ensureFolder(folder)
            try files.writeNewFile(temporary, bytes)
            defer { try? files.remove(temporary) }
            // A link, unlike a rename, fails if the name is taken.
            try files.link(temporary, to: path)
            try files.syncFolder(folder)
        } catch {
            guard error.operation == .link, error.kind == .alreadyExists else {
                throw .files(error)
            }
            return false
        }
        return true
    }

    /// Reads the key, or creates it if there is none and nothing has been sealed yet.
    ///
    /// Requires the lock of the sealed records, because it removes files left by an interrupted
    /// ``create(random:)``. If `sealedRecordsExist`, no key is created: a new key could not open
    /// them and would hide the loss of the right one.
    ///
    /// - Throws: ``KeyFileError/missing(path:)`` in that case.
    public func loadOrCreate(sealedRecordsExist: Bool, random: RandomSource = .system)
        throws(KeyFileError) -> MasterKey
    {
        try attempt { () throws(FileSystemError) in
            try files.ensureFolder(folder)
            try files.sweep(folder, prefix: temporaryPrefix)
        }
        if let key = try load() {
            // Its creator may have been killed before the name was durable.
            try attempt { () throws(FileSystemError) in try files.syncFolder(folder) }
            return key
        }
        guard !sealedRecordsExist else { throw .missing(path: path) }
        return try create(random: random)
    }

    /// Reads the keys of a server, of which there may be several; creates the first one as
    /// ``loadOrCreate(sealedRecordsExist:random:)`` does.
    ///
    /// - Throws: ``KeyFileError``; `.damaged` if the file is longer than one key and was changed,
    ///   `.wrapped` or `.notWrapped` if it is protected otherwise than by ``wrapper``.
    public func loadOrCreateRing(sealedRecordsExist: Bool, random: RandomSource = .system)
        throws(KeyFileError) -> KeyRing
    {
        let ring = try loadRing()
        if let ring, wrapper != nil || ring.keys.count > 1 || !ring.lookup.isDerived {
            try attempt { () throws(FileSystemError) in
                try files.sweep(folder, prefix: temporaryPrefix)
                try files.syncFolder(folder)
            }
            return ring
        }
        if ring == nil, wrapper != nil {
            guard !sealedRecordsExist else { throw .missing(path: path) }
            let made = KeyRing(MasterKey(bytes: random.bytes(MasterKey.size)))
            guard try !publish(bytes(of: made, random: random), random: random) else {
                return made
            }
            guard let existing = try loadRing() else { throw .missing(path: path) }
            return existing
        }
        return KeyRing(
            try loadOrCreate(sealedRecordsExist: sealedRecordsExist, random: random))
    }

    /// Reads the keys of a server; returns `nil` if the file does not exist.
    public func loadRing() throws(KeyFileError) -> KeyRing? {
        guard let contents = try contents(atMost: WrappedKeys.maxFileBytes) else { return nil }
        if WrappedKeys.isHeading(of: contents.bytes) {
            guard contents.size == contents.bytes.count,
                let wrapped = WrappedKeys(fileBytes: contents.bytes)
            else { throw .damaged(path: path) }
            guard let wrapper, wrapper.kind == wrapped.kind else {
                throw .wrapped(path: path, by: wrapped.kind)
            }
            do { return try wrapped.opened(with: wrapper) } catch { throw .wrapper(path, error) }
        }
        guard contents.size <= KeyRing.maxFileBytes, contents.size >= MasterKey.size else {
            throw .size(path: path, contents.size)
        }
        guard let ring = KeyRing(fileBytes: contents.bytes) else { throw .damaged(path: path) }
        if let wrapper { throw .notWrapped(path: path, kind: wrapper.kind) }
        return ring
    }

    /// Replaces the stored keys. After a crash, the file has either the old keys or the new ones.
    package func store(_ ring: KeyRing, random: RandomSource = .system) throws(KeyFileError) {
        let bytes = try bytes(of: ring, random: random)
        try attempt { () throws(FileSystemError) in
            try files.ensureFolder(folder)
            try files.replaceFile(path, with: bytes, random: random, prefix: temporaryPrefix)
        }
    }

    /// The bytes as they are stored, to see whether another server has replaced the file; `nil` if there
    /// is none.
    package func storedBytes() throws(KeyFileError) -> [UInt8]? {
        try contents(atMost: WrappedKeys.maxFileBytes)?.bytes
    }

    /// Returns the bytes of a file with these keys, wrapped if this file's are, and proved to open
    /// again.
    package func bytes(of ring: KeyRing, random: RandomSource = .system) throws(KeyFileError)
        -> [UInt8]
    {
        guard let wrapper else { return ring.fileBytes }
        do throws(KeyWrapperError) {
            let wrapped = try WrappedKeys(ring, with: wrapper, random: random)
            // These bytes may replace the only copy of the keys. A token with two halves of
            // different key pairs wraps what it never unwraps.
            guard try wrapped.opened(with: wrapper).fileBytes == ring.fileBytes else {
                throw KeyWrapperError(
                    code: "key.damaged",
                    reason: "the wrapped keys do not open again: nothing was stored")
            }
            return wrapped.fileBytes
        } catch { throw .wrapper(path, error) }
    }

    private func contents(atMost limit: Int) throws(KeyFileError) -> FileContents? {
        guard
            let contents = try attempt({ () throws(FileSystemError) in
                try files.read(path, atMost: limit)
            })
        else { return nil }
        guard contents.isRegular else { throw .notRegular(path: path) }
        guard contents.owner == files.currentUser else {
            throw .notOwned(path: path, owner: contents.owner, user: files.currentUser)
        }
        guard contents.mode & 0o077 == 0 else { throw .tooWide(path: path, mode: contents.mode) }
        return contents
    }

    private var folder: String { parentFolder(of: path) }
    private var temporaryPrefix: String { ".\(path.split(separator: "/").last ?? "key")." }

    private func attempt<T>(_ body: () throws(FileSystemError) -> T) throws(KeyFileError) -> T {
        do { return try body() } catch { throw .files(error) }
    }
}
