internal import Foundation

/// A pack's `.tar` archive, optionally compressed with gzip.
struct PackArchive {
    private let file: PackFile
    /// The archive's name in error messages.
    private let shown: String

    /// - Parameter limit: the maximum size in bytes.
    /// - Throws: ``PackError`` `.unavailable`.
    init(_ url: URL, shown: String, limit: Int) throws(PackError) {
        guard let file = PackFile(url, followingLink: true) else {
            throw PackError(.unavailable, "\(shown) cannot be read, or is not a regular file")
        }
        guard file.size <= limit else {
            throw PackError(.unavailable, "\(shown) has \(file.size) bytes; the limit is 2 GB")
        }
        (self.file, self.shown) = (file, shown)
    }

    /// - Throws: ``PackError`` `.damaged` if the hash, in hexadecimal, does not match.
    func check(sha256: String) throws(PackError) {
        guard let found = file.sha256() else {
            throw PackError(.unavailable, "\(shown) cannot be read")
        }
        guard found == sha256 else {
            throw PackError(
                .damaged, "\(shown) has the sha256 \(found), not the expected one; do not use it")
        }
    }

    /// Extracts the files at the top level and one folder below into `folder`, which must be empty.
    /// Deeper files are not part of a pack.
    ///
    /// - Parameter limit: the maximum total size of the files in bytes, regardless of the archive's
    ///   own size.
    /// - Returns: the folder with the manifest.
    func unpack(into folder: URL, limit: Int) throws(PackError) -> URL {
        let stream = try Decompressor(file, shown)
        var reader = TarReader(limit: limit) { try stream.take($0) }
        do {
            while let entry = try reader.next() {
                guard !entry.isFolder, entry.path.count <= 2 else { continue }
                try write(entry, to: entry.path.reduce(folder) { $0.appending(path: $1) }, &reader)
            }
        } catch let fault as TarReader.Fault {
            throw PackError(.unavailable, "\(shown) \(Self.words(for: fault))")
        } catch let error as PackError {
            throw error
        } catch {
            throw PackError(
                .unavailable, "\(shown) could not be unpacked: \(SystemWords.reason(error))")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let candidates =
            [folder]
            + names.sorted().map { folder.appending(path: $0, directoryHint: .isDirectory) }
        guard
            let found = candidates.first(where: {
                PackFile($0.appending(path: PackManifest.fileName)) != nil
            })
        else {
            throw PackError(.badManifest, "\(shown) contains no \(PackManifest.fileName)")
        }
        return found
    }

    private func write(_ entry: TarReader.Entry, to destination: URL, _ reader: inout TarReader)
        throws
    {
        if entry.path.last == PackManifest.fileName, entry.size > PackManifest.sizeLimit {
            throw TarReader.Fault.limit
        }
        try FileManager.default.createDirectory(
            at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
        let number = unsafe open(
            destination.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        try reader.contents { try file.write(contentsOf: $0) }
    }

    private static func words(for fault: TarReader.Fault) -> String {
        switch fault {
        case .truncated: "is truncated; fetch it again"
        case .header:
            "is not a valid tar archive; a pack is a folder, or a .tar, .tar.gz or .tgz archive of one"
        case .kind:
            "contains a link, a device or a sparse file; a pack may contain regular files only"
        case .name: "contains a name that leads out of it or cannot be displayed"
        case .limit:
            "is too large: the limits are 2 GB unpacked, 10,000 entries and a manifest of 1 MB"
        }
    }
}

/// An archive's bytes, decompressed with gzip if needed.
private final class Decompressor {
    private let file: PackFile
    private let gzip: Process?
    private let output = Pipe()
    private static let partSize = 1 << 18

    init(_ file: PackFile, _ shown: String) throws(PackError) {
        self.file = file
        var magic: [UInt8] = [0, 0]
        guard
            unsafe magic.withUnsafeMutableBytes({ unsafe pread(file.number, $0.baseAddress, 2, 0) })
                == 2, magic == [0x1F, 0x8B]
        else {
            gzip = nil
            return
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc"]
        process.standardInput = FileHandle(fileDescriptor: file.number, closeOnDealloc: false)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
            throw PackError(.unavailable, "\(shown) could not be unpacked: cannot run gzip")
        }
        gzip = process
    }

    /// Closing the pipe ends gzip, so unread data is not decompressed.
    deinit {
        guard let gzip else { return }
        try? output.fileHandleForReading.close()
        kill(gzip.processIdentifier, SIGKILL)
        gzip.waitUntilExit()
    }

    /// Returns up to `count` bytes; none at the end.
    func take(_ count: Int) throws -> [UInt8] {
        let number = gzip == nil ? file.number : output.fileHandleForReading.fileDescriptor
        var part = [UInt8](repeating: 0, count: min(count, Self.partSize))
        while true {
            let got = unsafe part.withUnsafeMutableBytes {
                unsafe read(number, $0.baseAddress, $0.count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            return Array(part[..<got])
        }
    }
}
