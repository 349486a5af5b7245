internal import Foundation
internal import SystemPackage

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
        let file = file, bytes = file.bytes()
        var take: (Int) throws -> [UInt8] = { try bytes($0) }
        if file.begins(with: GzipStream.magic) { take = GzipStream(source: take).take }
        var reader = TarReader(limit: limit, take: take)
        do {
            while let entry = try reader.next() {
                guard !entry.isFolder, entry.path.count <= 2 else { continue }
                try write(entry, to: entry.path.reduce(folder) { $0.appending(path: $1) }, &reader)
            }
        } catch let fault as TarReader.Fault {
            throw PackError(.unavailable, "\(shown) \(Self.words(for: fault))")
        } catch is GzipStream.Malformed {
            throw PackError(
                .unavailable, "\(shown) is damaged: its gzip data is malformed; fetch it again")
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
        let file = try FileDescriptor.open(
            FilePath(destination.path), .writeOnly,
            options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: .ownerReadWrite)
        try file.closeAfter { try reader.contents { _ = try file.writeAll($0) } }
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
