public import MienCore
public import MienFace

/// Faces on one machine: a folder with one sealed file per person, and a key file.
///
/// Every operation reads the folder again and holds a file lock, so any number of processes can
/// share a store. An operation blocks while it waits for the lock or the disk. After a crash, each
/// person's record is complete: either the old or the new one.
///
/// File names are random and file sizes depend only on the model pack, so the folder reveals only
/// the number of people.
public struct LocalFaceStore: Sendable {
    /// Maximum number of records in a store. Every operation reads all of them.
    public static let recordLimit = 10_000

    /// The suffix of record files. No other files in the folder have it.
    package static let fileSuffix = FaceID.fileSuffix

    /// The folder that contains the records.
    public let folder: String

    private let files: any FileSystem
    private let random: RandomSource
    private let sealer: RecordSealer

    private init(folder: String, files: any FileSystem, random: RandomSource, key: MasterKey) {
        (self.folder, self.files, self.random) = (folder, files, random)
        sealer = RecordSealer(key: key, purpose: .faceTemplate, random: random)
    }

    /// Opens the store. Creates the folder, with mode 0700, and the key file if they do not exist.
    ///
    /// Removes files left by interrupted processes.
    ///
    /// - Throws: ``FaceStoreError/key(_:)`` if records exist but the key file is missing, or if it
    ///   cannot be trusted; ``FaceStoreError/folderTooWide(path:mode:)`` if users other than the
    ///   owner can change the folder.
    public static func open(
        folder: String, keyPath: String, files: any FileSystem = POSIXFileSystem(),
        random: RandomSource = .system
    ) throws(FaceStoreError) -> LocalFaceStore {
        try open(folder: folder, files: files, random: random) {
            recordsExist throws(KeyFileError) in
            try KeyFile(path: keyPath, files: files).loadOrCreate(
                sealedRecordsExist: recordsExist, random: random)
        }
    }

    /// Opens or creates the store with a key that the caller keeps, for example in a TPM.
    ///
    /// - Throws: ``FaceStoreError/folderTooWide(path:mode:)`` if users other than the owner can
    ///   change the folder.
    public static func open(
        folder: String, key: MasterKey, files: any FileSystem = POSIXFileSystem(),
        random: RandomSource = .system
    ) throws(FaceStoreError) -> LocalFaceStore {
        try open(folder: folder, files: files, random: random) { _ throws(KeyFileError) in key }
    }

    private static func open(
        folder: String, files: any FileSystem, random: RandomSource,
        key: (_ recordsExist: Bool) throws(KeyFileError) -> MasterKey
    ) throws(FaceStoreError) -> LocalFaceStore {
        let mode: UInt32?
        do throws(FileSystemError) {
            try files.ensureFolder(folder)
            mode = try files.mode(ofFolder: folder)
        } catch { throw .files(error) }
        if let mode, mode & 0o022 != 0 { throw .folderTooWide(path: folder, mode: mode) }
        return try locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            let recordsExist: Bool
            do throws(FileSystemError) {
                try files.sweep(folder)
                recordsExist =
                    try files.list(folder)?.contains { $0.hasSuffix(FaceID.fileSuffix) } ?? false
            } catch { throw .files(error) }
            do throws(KeyFileError) {
                return LocalFaceStore(
                    folder: folder, files: files, random: random, key: try key(recordsExist))
            } catch { throw .key(error) }
        }
    }

    /// Returns everyone in the store, and the records that cannot be read.
    public func list() throws(FaceStoreError) -> FaceListing {
        try Self.locked(.shared, folder, files) { () throws(FaceStoreError) in try contents() }
    }

    /// Returns the person with this name, ignoring case; `nil` if there is none.
    ///
    /// - Throws: ``FaceStoreError/damaged(_:)`` if no readable record has the name but some records
    ///   cannot be read.
    public func find(_ name: PersonName) throws(FaceStoreError) -> EnrolledFace? {
        try Self.locked(.shared, folder, files) { () throws(FaceStoreError) in
            try match(name, in: contents())
        }
    }

    /// Stores `template` under `name`, replacing an existing template and erasing a former one.
    /// Keeps the new spelling of the name.
    ///
    /// If it throws, the old record is still in place, unless syncing the folder failed: then
    /// either record may be. A corrupt record does not block enrollment. A record that the disk
    /// fails to read does, unless the name is found in another record.
    ///
    /// - Returns: whether the person is new or was re-enrolled.
    public func put(_ template: FaceTemplate, as name: PersonName) throws(FaceStoreError)
        -> PutOutcome
    {
        try Self.locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            let listing = try contents()
            let old = try Self.unique(name, in: listing, folder)
            if old == nil { try admitNewcomer(listing) }
            try write(
                EnrolledFace(id: old?.id ?? FaceID(random: random), name: name, template: template))
            return old == nil ? .added : .replaced
        }
    }

    public enum PutOutcome: Sendable { case added, replaced }

    /// Replaces a person's template by one of another model pack and keeps the old one beside it.
    ///
    /// If it throws, the old record is still in place, unless syncing the folder failed: then
    /// either record may be.
    ///
    /// - Parameters:
    ///   - old: The template that is expected to be stored.
    ///   - keptUntil: The time from which on ``eraseFormer(at:)`` erases the old template.
    /// - Returns: `false` if there is no such person, or another template is stored by now.
    public func migrate(
        _ name: PersonName, from old: FaceTemplate, to new: FaceTemplate, keptUntil: Instant
    ) throws(FaceStoreError) -> Bool {
        try Self.locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            guard let face = try match(name, in: contents()), face.template == old else {
                return false
            }
            try write(
                EnrolledFace(
                    id: face.id, name: face.name, template: new,
                    former: FormerTemplate(template: old, keptUntil: keptUntil)))
            return true
        }
    }

    /// Erases replaced templates whose time is up. Cannot erase backups or copies made by the disk.
    ///
    /// - Returns: the number of erased templates.
    @discardableResult
    public func eraseFormer(at now: Instant) throws(FaceStoreError) -> Int {
        // Most calls find nothing to erase and need not wait for readers.
        guard try list().faces.contains(where: { $0.isFormerOver(at: now) }) else { return 0 }
        return try Self.locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            let over = try contents().faces.filter { $0.isFormerOver(at: now) }
            for face in over {
                try write(EnrolledFace(id: face.id, name: face.name, template: face.template))
            }
            return over.count
        }
    }

    /// Removes the person with this name. Cannot remove backups or copies made by the disk.
    ///
    /// - Returns: `false` if there is no such person.
    /// - Throws: ``FaceStoreError/damaged(_:)`` if no readable record has the name but some records
    ///   cannot be read.
    public func remove(_ name: PersonName) throws(FaceStoreError) -> Bool {
        try Self.locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            guard let face = try match(name, in: contents()) else { return false }
            try unlink(path(face.id))
            return true
        }
    }

    /// Removes an unreadable record by the path from the listing. Keeps a record that turns out to
    /// be readable.
    ///
    /// - Returns: `false` if there is no such damaged record.
    public func discard(_ record: DamagedRecord) throws(FaceStoreError) -> Bool {
        try Self.locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            guard try contents().damaged.contains(where: { $0.path == record.path }) else {
                return false
            }
            try unlink(record.path)
            return true
        }
    }
}

extension LocalFaceStore {
    private func contents() throws(FaceStoreError) -> FaceListing {
        let names: [String]
        do { names = try files.list(folder) ?? [] } catch { throw .files(error) }
        var faces: [EnrolledFace] = [], damaged: [DamagedRecord] = []
        for name in names.sorted() where name.hasSuffix(FaceID.fileSuffix) {
            do throws(RecordError) {
                if let face = try read(name) { faces.append(face) }
            } catch {
                damaged.append(DamagedRecord(path: "\(folder)/\(name)", reason: error))
            }
        }
        return FaceListing(faces: faces.sorted { $0.name.key < $1.name.key }, damaged: damaged)
    }

    /// - Returns: `nil` if the file was removed after the folder was listed.
    private func read(_ fileName: String) throws(RecordError) -> EnrolledFace? {
        guard let id = FaceID(fileName: fileName) else { throw .fileName }
        let found: FileContents?
        do { found = try files.read(path(id), atMost: FaceRecord.maximumFileSize) } catch {
            throw .files(error)
        }
        guard let found else { return nil }
        guard found.isRegular else { throw .notRegular }
        guard found.size <= FaceRecord.maximumFileSize else { throw .size(found.size) }
        let content: [UInt8]
        do { content = try sealer.open(found.bytes, identity: id.bytes) } catch {
            throw .seal(error)
        }
        let record = try FaceRecord(bytes: content)
        return EnrolledFace(
            id: id, name: record.name, template: record.template, former: record.former)
    }

    /// Rejects a new person while a record cannot be read from the disk. It may belong to the same
    /// person, and a second record would give two records one name.
    private func admitNewcomer(_ listing: FaceListing) throws(FaceStoreError) {
        for record in listing.damaged {
            if case .files(let error) = record.reason { throw .files(error) }
        }
        guard listing.faces.count + listing.damaged.count < Self.recordLimit else {
            throw .full(limit: Self.recordLimit)
        }
    }

    private func write(_ face: EnrolledFace) throws(FaceStoreError) {
        let sealed = sealer.seal(
            FaceRecord(name: face.name, template: face.template, former: face.former).bytes,
            identity: face.id.bytes)
        do { try files.replaceFile(path(face.id), with: sealed, random: random) } catch {
            throw .files(error)
        }
    }

    private func unlink(_ path: String) throws(FaceStoreError) {
        do throws(FileSystemError) {
            try files.remove(path)
            try files.syncFolder(folder)
        } catch { throw .files(error) }
    }

    private func match(_ name: PersonName, in listing: FaceListing) throws(FaceStoreError)
        -> EnrolledFace?
    {
        if let face = try Self.unique(name, in: listing, folder) { return face }
        guard listing.damaged.isEmpty else { throw .damaged(listing.damaged) }
        return nil
    }

    private static func unique(_ name: PersonName, in listing: FaceListing, _ folder: String)
        throws(FaceStoreError) -> EnrolledFace?
    {
        let matches = listing.faces.filter { $0.name == name }
        guard matches.count <= 1 else {
            throw .nameTwice(paths: matches.map { "\(folder)/\($0.id.fileName)" })
        }
        return matches.first
    }

    private func path(_ id: FaceID) -> String { "\(folder)/\(id.fileName)" }

    private static func locked<T>(
        _ mode: LockMode, _ folder: String, _ files: any FileSystem,
        _ body: () throws(FaceStoreError) -> T
    ) throws(FaceStoreError) -> T {
        let lock: any FileLock
        do { lock = try files.lock("\(folder)/lock", mode) } catch { throw .files(error) }
        defer { lock.release() }
        return try body()
    }
}

extension EnrolledFace {
    fileprivate func isFormerOver(at now: Instant) -> Bool {
        former.map { $0.keptUntil <= now } ?? false
    }
}
