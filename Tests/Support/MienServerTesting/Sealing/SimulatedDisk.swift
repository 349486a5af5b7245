import MienVault
import Synchronization

/// An in-memory disk that may lose unsynced data, and that fails or crashes at a chosen operation.
///
/// Bytes survive a crash from `sync` on, names from `syncFolder` on. ``afterCrash(_:)`` can keep
/// any part of unsynced data: any subset of the changes to names, and all, half, or none of each
/// file's bytes. A rename is kept or lost as a whole.
package final class SimulatedDisk: FileSystem {
    package enum Fault: Sendable, CaseIterable {
        /// Power fails before the operation. Every later operation fails, too.
        case crash
        /// The operation fails once, without effect.
        case fail
        /// The disk is full from now on: creating and writing files fails, everything else works.
        case full
    }

    package struct Outcome: Sendable {
        package enum Bytes: Sendable, CaseIterable { case lost, half, kept }

        /// Bit i: the i-th unsynced change of names survives.
        package let changes: UInt
        package let bytes: Bytes

        package init(changes: UInt, bytes: Bytes) { (self.changes, self.bytes) = (changes, bytes) }
    }

    package let currentUser: UInt32 = 1000
    private let state: Mutex<State>

    package init() { state = Mutex(State()) }
    private init(_ state: State) { self.state = Mutex(state) }

    // MARK: Faults

    /// Makes the `n`-th operation from now fail, counting from 1.
    package func arm(_ fault: Fault, at n: Int) {
        state.withLock { ($0.fault, $0.countdown, $0.fired) = (fault, n, false) }
    }

    /// Returns whether the armed fault has occurred, and disarms it.
    package func disarm() -> Bool {
        state.withLock { state in
            defer { (state.fault, state.fired) = (nil, false) }
            return state.fired
        }
    }

    /// Makes every later sync report success without effect.
    package func stopSyncing() { state.withLock { $0.syncs = false } }

    /// All possible states after a crash now.
    package var outcomes: [Outcome] {
        let pending = state.withLock { $0.pending.count }
        precondition(pending < 12, "\(pending) are too many unsynced changes to try")
        return (0..<UInt(1) << pending).flatMap { changes in
            Outcome.Bytes.allCases.map { Outcome(changes: changes, bytes: $0) }
        }
    }

    /// Returns the disk in its state after a crash now.
    package func afterCrash(_ outcome: Outcome) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.afterCrash(outcome) })
    }

    // MARK: Inspecting and tampering, without faults

    package var fileNames: [String] { state.withLock { $0.names.keys.sorted() } }

    package func plant(
        _ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600, owner: UInt32 = 1000,
        isRegular: Bool = true
    ) {
        state.withLock { state in
            let file = state.newFile(
                File(bytes: bytes, durable: bytes, mode: mode, owner: owner, isRegular: isRegular))
            (state.names[path], state.durableNames[path]) = (file, file)
        }
    }

    // MARK: FileSystem

    package func read(_ path: String, atMost limit: Int) throws(FileSystemError) -> FileContents? {
        try operate(.read, path) { state -> FileContents? in
            guard let file = state.names[path].map({ state.files[$0] }) else { return nil }
            return FileContents(
                isRegular: file.isRegular, mode: file.mode, owner: file.owner,
                size: file.bytes.count,
                bytes: file.isRegular ? Array(file.bytes.prefix(limit)) : [])
        }
    }

    package func list(_ folder: String) throws(FileSystemError) -> [String]? {
        try operate(.list, folder) { state -> [String]? in
            guard state.folders.contains(folder) else { return nil }
            return (Array(state.names.keys) + state.folders).filter {
                parent(of: $0) == folder && $0 != "/"
            }.map { last(of: $0) }
        }
    }

    package func mode(ofFolder path: String) throws(FileSystemError) -> UInt32? {
        try operate(.list, path) { $0.folders.contains(path) ? 0o700 : nil }
    }

    package func makeFolder(_ path: String) throws(FileSystemError) -> Bool {
        try operate(.makeFolder, path) { state in
            guard !state.folders.contains(path) else { return false }
            guard state.folders.contains(parent(of: path)) else {
                throw FileSystemError.Kind.notFound
            }
            state.change(.addFolder(path))
            return true
        }
    }

    package func createFile(_ path: String) throws(FileSystemError) -> any WritableFile {
        let file = try operate(.create, path) { state in
            guard state.names[path] == nil else { throw FileSystemError.Kind.alreadyExists }
            guard state.folders.contains(parent(of: path)) else {
                throw FileSystemError.Kind.notFound
            }
            let file = state.newFile(File())
            state.change(.add(path, file))
            return file
        }
        return SimulatedFile(disk: self, path: path, number: file)
    }

    package func rename(_ path: String, to target: String) throws(FileSystemError) {
        try operate(.rename, path) { state in
            guard let file = state.names[path] else { throw FileSystemError.Kind.notFound }
            state.change(.move(path, target, file))
        }
    }

    package func link(_ path: String, to target: String) throws(FileSystemError) {
        try operate(.link, target) { state in
            guard let file = state.names[path] else { throw FileSystemError.Kind.notFound }
            guard state.names[target] == nil else { throw FileSystemError.Kind.alreadyExists }
            state.change(.add(target, file))
        }
    }

    package func remove(_ path: String) throws(FileSystemError) {
        try operate(.remove, path) { state in
            guard state.names[path] != nil else { throw FileSystemError.Kind.notFound }
            state.change(.remove(path))
        }
    }

    package func syncFolder(_ folder: String) throws(FileSystemError) {
        try operate(.sync, folder) { $0.syncFolder(folder) }
    }

    package func lock(_ path: String, _: LockMode) throws(FileSystemError) -> any FileLock {
        try operate(.lock, path) { state in
            precondition(!state.isLocked, "the lock is already held")
            if state.names[path] == nil {
                guard state.folders.contains(parent(of: path)) else {
                    throw FileSystemError.Kind.notFound
                }
                state.change(.add(path, state.newFile(File())))
            }
            state.isLocked = true
        }
        return SimulatedLock(disk: self)
    }

    fileprivate func write(_ path: String, _ number: Int, _ bytes: [UInt8]) throws(FileSystemError)
    {
        try operate(.write, path) { $0.files[number].bytes += bytes }
    }

    fileprivate func sync(_ path: String, _ number: Int) throws(FileSystemError) {
        try operate(.sync, path) {
            if $0.syncs { $0.files[number].durable = $0.files[number].bytes }
        }
    }

    fileprivate func unlock() { state.withLock { $0.isLocked = false } }

    private func operate<T: Sendable>(
        _ operation: FileSystemError.Operation, _ path: String, _ body: (inout State) throws -> T
    ) throws(FileSystemError) -> T {
        do {
            return try state.withLock { state in
                try state.countDown(operation)
                return try body(&state)
            }
        } catch { throw FileSystemError(operation, path, error as! FileSystemError.Kind, errno: 0) }
    }
}

extension FileSystemError.Kind: Error {}

/// The disk's contents, and the parts that would survive a crash.
private struct State {
    enum Change {
        case add(String, Int), move(String, String, Int), remove(String), addFolder(String)
    }

    var files: [File] = []
    var names: [String: Int] = [:], durableNames: [String: Int] = [:]
    var folders: Set<String> = ["/"], durableFolders: Set<String> = ["/"]
    var pending: [Change] = []
    var isLocked = false, syncs = true
    var fault: SimulatedDisk.Fault?, countdown = 0, fired = false

    mutating func newFile(_ file: File) -> Int {
        files.append(file)
        return files.count - 1
    }

    mutating func change(_ change: Change) {
        pending.append(change)
        apply(change, &names, &folders)
    }

    mutating func syncFolder(_ folder: String) {
        guard syncs else { return }
        for change in pending where change.folder == folder {
            apply(change, &durableNames, &durableFolders)
        }
        pending.removeAll { $0.folder == folder }
    }

    mutating func countDown(_ operation: FileSystemError.Operation) throws(FileSystemError.Kind) {
        guard let fault else { return }
        countdown -= 1
        if countdown == 0 { fired = true }
        switch fault {
        case .crash: if countdown <= 0 { throw .failed }
        case .fail: if countdown == 0 { throw .failed }
        case .full:
            if countdown <= 0, [.create, .write, .makeFolder].contains(operation) {
                throw .noSpace
            }
        }
    }

    func afterCrash(_ outcome: SimulatedDisk.Outcome) -> State {
        var after = State()
        var (names, folders) = (durableNames, durableFolders)
        for (i, change) in pending.enumerated() where outcome.changes >> UInt(i) & 1 == 1 {
            apply(change, &names, &folders)
        }
        after.files = files.map { $0.afterCrash(outcome.bytes) }
        after.folders = folders.filter { isReachable($0, folders) }
        after.names = names.filter { isReachable($0.key, folders) }
        (after.durableNames, after.durableFolders, after.syncs) = (
            after.names, after.folders, syncs
        )
        return after
    }

    private func isReachable(_ path: String, _ folders: Set<String>) -> Bool {
        path == "/" || folders.contains(parent(of: path)) && isReachable(parent(of: path), folders)
    }

    private func apply(_ change: Change, _ names: inout [String: Int], _ folders: inout Set<String>)
    {
        switch change {
        case .add(let path, let file): names[path] = file
        case .move(let path, let target, let file): (names[path], names[target]) = (nil, file)
        case .remove(let path): names[path] = nil
        case .addFolder(let path): folders.insert(path)
        }
    }
}

extension State.Change {
    var folder: String {
        switch self {
        case .add(let path, _), .move(let path, _, _), .remove(let path), .addFolder(let path):
            parent(of: path)
        }
    }
}

private struct File {
    var bytes: [UInt8] = [], durable: [UInt8] = []
    var mode: UInt32 = 0o600, owner: UInt32 = 1000, isRegular = true

    func afterCrash(_ kept: SimulatedDisk.Outcome.Bytes) -> File {
        var after = self
        switch kept {
        case .lost: after.bytes = durable
        case .half: after.bytes = durable == bytes ? bytes : Array(bytes.prefix(bytes.count / 2))
        case .kept: break
        }
        after.durable = after.bytes
        return after
    }
}

private final class SimulatedFile: WritableFile {
    private let disk: SimulatedDisk, path: String, number: Int

    init(disk: SimulatedDisk, path: String, number: Int) {
        (self.disk, self.path, self.number) = (disk, path, number)
    }

    func write(_ bytes: [UInt8]) throws(FileSystemError) { try disk.write(path, number, bytes) }
    func sync() throws(FileSystemError) { try disk.sync(path, number) }
    func close() {}
}

private final class SimulatedLock: FileLock {
    private let disk: SimulatedDisk

    init(disk: SimulatedDisk) { self.disk = disk }

    func release() { disk.unlock() }
}

private func parent(of path: String) -> String {
    let slash = path.lastIndex(of: "/")!
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

private func last(of path: String) -> String {
    String(path[path.index(after: path.lastIndex(of: "/")!)...])
}
