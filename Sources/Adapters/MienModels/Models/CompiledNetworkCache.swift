internal import Crypto
internal import Foundation
internal import MienCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The folder in which OpenVINO caches a pack's compiled networks, with protection against damaged
/// files.
///
/// OpenVINO loads cached files without verifying them, and a descriptor network that contains a few
/// thousand zeros matches everyone to the same person. Each file therefore has its SHA-256 beside
/// it, written after the file was created. Files that do not match are removed before a network is
/// opened, and compiled again. Processes take turns.
struct CompiledNetworkCache {
    let folder: URL
    /// Files whose hash matched when this value checked them. Each is read once here and once by
    /// OpenVINO.
    private var known: Set<String> = []

    private static let suffix = ".blob", hashSuffix = ".sha256"

    /// - Returns: `nil` if the folder cannot be created. Nothing is cached then, which only costs
    ///   time.
    init?(folder: URL) {
        let manager = FileManager.default
        guard (try? manager.createDirectory(at: folder, withIntermediateDirectories: true)) != nil,
            (try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path))
                != nil
        else { return nil }
        self.folder = folder
    }

    /// Runs `open` while no other process reads or changes the folder. If that stored a compiled
    /// network, runs it once more: a network that was read from the cache takes less memory than one
    /// that was compiled.
    mutating func opening<Output, Failure: Error>(_ open: () throws(Failure) -> Output)
        throws(Failure) -> Output
    {
        let turn = Turn(folder.appending(path: "lock").path)
        defer { turn?.end() }
        removeUnknown()
        do {
            let output = try open()
            guard recordNew() else { return output }
        }
        return try open()
    }

    private var blobs: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
            $0.hasSuffix(Self.suffix)
        }
    }

    private mutating func removeUnknown() {
        for name in blobs where !known.contains(name) {
            let recorded = try? String(
                contentsOf: folder.appending(path: name + Self.hashSuffix), encoding: .utf8)
            if let recorded, recorded == hash(of: name) {
                known.insert(name)
            } else {
                try? FileManager.default.removeItem(at: folder.appending(path: name))
            }
        }
    }

    /// - Returns: whether a compiled network was stored, with its hash.
    private mutating func recordNew() -> Bool {
        var isAnyNew = false
        for name in blobs where !known.contains(name) {
            guard let hash = hash(of: name) else { continue }
            // Durability is not needed: a file without its hash is removed and compiled again.
            let written: Void? = try? Data(hash.utf8).write(
                to: folder.appending(path: name + Self.hashSuffix), options: .atomic)
            guard written != nil else { continue }
            known.insert(name)
            isAnyNew = true
        }
        return isAnyNew
    }

    private func hash(of name: String) -> String? {
        (try? Data(contentsOf: folder.appending(path: name), options: .mappedIfSafe)).map(
            ModelPack.sha256)
    }
}

/// A lock on a file, held until ``end()`` or the end of the process.
private struct Turn {
    private let file: FileDescriptor

    /// Waits for the lock. Returns `nil` if the lock file cannot be opened; the folder is not
    /// writable then either.
    init?(_ path: String) {
        guard
            let file = try? FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec],
                permissions: [.ownerRead, .ownerWrite])
        else { return nil }
        self.file = file
        while flock(file.rawValue, LOCK_EX) != 0 && errno == EINTR {}
    }

    func end() { try? file.close() }
}
