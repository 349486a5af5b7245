internal import Crypto
internal import Foundation

/// Seals and opens files piece by piece.
enum StreamFiles {
    /// Seals the file at `source` into a new file with mode 0600, and makes its bytes durable.
    ///
    /// - Returns: the size and SHA-256 of the sealed file.
    static func seal(_ source: String, to target: String, _ key: SymmetricKey) throws(BackupError)
        -> (size: Int, sha256: [UInt8])
    {
        let input = try opened(source), output = try created(target)
        defer {
            try? input.close()
            try? output.close()
        }
        var sealer = StreamSealer(key), hash = SHA256(), size = 0
        func put(_ bytes: [UInt8]) throws(BackupError) {
            hash.update(data: bytes)
            size += bytes.count
            try write(bytes, to: output, target)
        }
        try put(SealedStream.magic)
        var piece = try read(SealedStream.pieceSize, from: input, source)
        while true {
            let next =
                piece.count < SealedStream.pieceSize
                ? [] : try read(SealedStream.pieceSize, from: input, source)
            try put(sealer.seal(piece, isLast: next.isEmpty))
            if next.isEmpty { break }
            piece = next
        }
        do { try output.synchronize() } catch { throw failure("write", target, error) }
        return (size, Array(hash.finalize()))
    }

    /// Opens the sealed file at `source` into a new file with mode 0600.
    ///
    /// - Throws: ``BackupError`` `.damaged` if any byte was changed.
    static func open(_ source: String, to target: String, _ key: SymmetricKey) throws(BackupError) {
        let input = try opened(source), output = try created(target)
        defer {
            try? input.close()
            try? output.close()
        }
        let damaged = BackupError(.damaged, "\(source) was changed after the backup was written")
        guard try read(SealedStream.magic.count, from: input, source) == SealedStream.magic else {
            throw damaged
        }
        var opener = StreamOpener(key)
        let size = SealedStream.pieceSize + SealedStream.tagSize
        var piece = try read(size, from: input, source)
        while !opener.hasEnded {
            let next = piece.count < size ? [] : try read(size, from: input, source)
            guard let content = opener.open(piece, isLast: next.isEmpty) else { throw damaged }
            try write(content, to: output, target)
            piece = next
        }
        do { try output.synchronize() } catch { throw failure("write", target, error) }
    }

    /// Returns the size and SHA-256 of a file.
    static func sum(_ path: String) throws(BackupError) -> (size: Int, sha256: [UInt8]) {
        let input = try opened(path)
        defer { try? input.close() }
        var hash = SHA256(), size = 0
        while true {
            let bytes = try read(1 << 20, from: input, path)
            if bytes.isEmpty { return (size, Array(hash.finalize())) }
            hash.update(data: bytes)
            size += bytes.count
        }
    }

    private static func opened(_ path: String) throws(BackupError) -> FileHandle {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw BackupError(.files, "\(path) is missing or cannot be read")
        }
        return file
    }

    private static func created(_ path: String) throws(BackupError) -> FileHandle {
        guard !FileManager.default.fileExists(atPath: path),
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else {
            throw BackupError(
                .files, "\(path) cannot be created; check the folder's permissions and free space")
        }
        return file
    }

    private static func read(_ count: Int, from file: FileHandle, _ path: String)
        throws(BackupError) -> [UInt8]
    {
        do {
            var bytes: [UInt8] = []
            while bytes.count < count,
                let more = try file.read(upToCount: count - bytes.count), !more.isEmpty
            { bytes += more }
            return bytes
        } catch { throw failure("read", path, error) }
    }

    private static func write(_ bytes: [UInt8], to file: FileHandle, _ path: String)
        throws(BackupError)
    {
        do { try file.write(contentsOf: Data(bytes)) } catch { throw failure("write", path, error) }
    }

    static func failure(_ verb: String, _ path: String, _ error: any Error) -> BackupError {
        let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? 0
        return code == ENOSPC
            ? BackupError(.files, "\(path): the disk is full; free some space")
            : BackupError(.files, "cannot \(verb) \(path)")
    }
}
