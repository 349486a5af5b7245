public import MienFace

/// Faces on one machine: a folder with one sealed file per person, and a key file.
///
/// Every verb reads the folder afresh and holds a file lock meanwhile, so any number of processes
/// can share a store. A verb blocks while it waits for the lock or the disk. A crash at any moment
/// leaves each person's record as it was before or as it is after, whole.
///
/// File names are random, sizes depend only on the model pack, so the folder tells how many people
/// there are and nothing else.
public struct LocalFaceStore: Sendable {
    /// As many records as a store may hold: each verb reads them all.
    public static let recordLimit = 10_000

    /// Of the records' files; nothing else in the folder has it.
    package static let fileSuffix = FaceID.fileSuffix

    /// Where the records are.
    public let folder: String

    private let files: any FileSystem
    private let random: RandomSource
    private let sealer: RecordSealer

    private init(folder: String, files: any FileSystem, random: RandomSource, key: MasterKey) {
        (self.folder, self.files, self.random) = (folder, files, random)
        sealer = RecordSealer(key: key, purpose: .faceTemplate, random: random)
    }

    /// Opens the store, and makes it when there is none: the folder, with mode 0700, and the key
    /// file.
    ///
    /// Sweeps what interrupted processes left behind.
    /// - Throws: ``FaceStoreError/key(_:)`` when the key file is missing though records exist, or
    ///   cannot be trusted; ``FaceStoreError/folderTooWide(path:mode:)`` when others than its owner
    ///   may change the folder.
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

    /// Opens the store, or makes it, under a key that the caller keeps: in a TPM, say.
    ///
    /// - Throws: ``FaceStoreError/folderTooWide(path:mode:)`` when others than its owner may change
    ///   the folder.
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

    /// Everybody in the store, and the records that cannot be read.
    public func list() throws(FaceStoreError) -> FaceListing {
        try Self.locked(.shared, folder, files) { () throws(FaceStoreError) in try contents() }
    }

    /// The person of that name, case aside; `nil` when there is none.
    ///
    /// - Throws: ``FaceStoreError/damaged(_:)`` when there is none among the readable records but
    ///   some are not readable.
    public func find(_ name: PersonName) throws(FaceStoreError) -> EnrolledFace? {
        try Self.locked(.shared, folder, files) { () throws(FaceStoreError) in
            try match(name, in: contents())
        }
    }

    /// Stores `template` under `name`, in place of what was stored under it. The new spelling of
    /// the name is kept.
    ///
    /// When it throws, the old record stands, unless syncing the folder is what failed: then either
    /// may. A record that is corrupt does not stand in the way; one that the disk refuses to read
    /// does, unless the name was found elsewhere.
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

    /// Removes the person of that name. Backups and the disk's own copies are out of its reach.
    ///
    /// - Returns: `false` when there is none.
    /// - Throws: ``FaceStoreError/damaged(_:)`` when there is none among the readable records but
    ///   some are not readable.
    public func remove(_ name: PersonName) throws(FaceStoreError) -> Bool {
        try Self.locked(.exclusive, folder, files) { () throws(FaceStoreError) in
            guard let face = try match(name, in: contents()) else { return false }
            try unlink(path(face.id))
            return true
        }
    }

    /// Removes a record that cannot be read, by the path the listing gave. A record that can be
    /// read after all stays.
    ///
    /// - Returns: `false` when there is no such damaged record.
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

    /// - Returns: `nil` when the file has gone since the folder was listed.
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
        return EnrolledFace(id: id, name: record.name, template: record.template)
    }

    /// A record that the disk would not give just now may be the newcomer's own: a second one would
    /// give two people one name.
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
            FaceRecord(name: face.name, template: face.template).bytes, identity: face.id.bytes)
        let temporary = "\(folder)/.\(hexadecimal(random.bytes(8)))\(temporarySuffix)"
        do { try files.replaceFile(path(face.id), with: sealed, by: temporary) } catch {
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
