internal import Foundation

/// A `.tar`, or one compressed with gzip, of a pack.
struct PackArchive {
    private let file: PackFile
    /// What to call it in an error.
    private let shown: String

    /// - Parameter limit: in bytes.
    /// - Throws: ``PackError`` `.unavailable`.
    init(_ url: URL, shown: String, limit: Int) throws(PackError) {
        guard let file = PackFile(url, followingLink: true) else {
            throw PackError(.unavailable, "\(shown) cannot be read, or is not a regular file")
        }
        guard file.size <= limit else {
            throw PackError(.unavailable, "\(shown) has \(file.size) bytes; 2 GB are allowed")
        }
        (self.file, self.shown) = (file, shown)
    }

    /// - Throws: ``PackError`` `.damaged` when the hash is another, in hexadecimal.
    func check(sha256: String) throws(PackError) {
        guard let found = file.sha256() else {
            throw PackError(.unavailable, "\(shown) cannot be read")
        }
        guard found == sha256 else {
            throw PackError(
                .damaged, "\(shown) has the sha256 \(found), not the one asked for; do not use it")
        }
    }

    /// Writes its files into `folder`, which is empty: those at the top and those in a folder
    /// there; what lies deeper is no part of a pack.
    ///
    /// - Parameter limit: the most bytes that the files may have together, whatever the archive's
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
        let places =
            [folder]
            + names.sorted().map { folder.appending(path: $0, directoryHint: .isDirectory) }
        guard
            let place = places.first(where: {
                PackFile($0.appending(path: PackManifest.fileName)) != nil
            })
        else {
            throw PackError(.badManifest, "\(shown) holds no \(PackManifest.fileName)")
        }
        return place
    }

    private func write(_ entry: TarReader.Entry, to place: URL, _ reader: inout TarReader) throws {
        if entry.path.last == PackManifest.fileName, entry.size > PackManifest.sizeLimit {
            throw TarReader.Fault.limit
        }
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        let number = unsafe open(
            place.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        try reader.contents { try file.write(contentsOf: $0) }
    }

    private static func words(for fault: TarReader.Fault) -> String {
        switch fault {
        case .truncated: "ends too early: fetch it again"
        case .header:
            "is not a tar archive that can be unpacked; a pack is a folder or a .tar, .tar.gz or .tgz of one"
        case .kind: "holds a link, a device or a sparse file; a pack has regular files only"
        case .name: "holds a name that leads out of it, or that cannot be shown"
        case .limit:
            "holds too much: 2 GB unpacked, 10,000 entries and a manifest of 1 MB are allowed"
        }
    }
}

/// An archive's bytes, decompressed by gzip where they have to be.
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
            throw PackError(.unavailable, "\(shown) could not be unpacked: gzip cannot be run")
        }
        gzip = process
    }

    /// What is not read is not unpacked: without a reader gzip ends.
    deinit {
        guard let gzip else { return }
        try? output.fileHandleForReading.close()
        kill(gzip.processIdentifier, SIGKILL)
        gzip.waitUntilExit()
    }

    /// Up to `count` bytes; none at the end.
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
