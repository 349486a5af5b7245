public import Foundation
internal import MienCore

/// Puts a pack together from its definition, and from published files that are found by their
/// hashes wherever they are.
public struct PackAssembly: Sendable {
    public let manifest: PackManifest
    private let manifestText: Data
    private let own: [String: Data]

    /// How deep folders are searched, and how many of their entries are inspected.
    private static let depth = 4, maxEntries = 10_000

    /// Reads a definition: a folder with a manifest, and any of the files it names.
    ///
    /// - Throws: ``PackError`` `.badManifest`.
    public init(definition folder: URL) throws(PackError) {
        manifest = try ModelPack.manifest(in: folder)
        guard let text = PackFile(folder.appending(path: PackManifest.fileName))?.contents() else {
            throw PackError(.badManifest, "\(folder.path) contains no readable manifest")
        }
        manifestText = text
        own = manifest.files.reduce(into: [:]) {
            $0[$1.name] = PackFile(folder.appending(path: $1.name))?.contents()
        }
    }

    /// Creates the pack's folder, completely or not at all.
    ///
    /// - Parameter folders: where the files may be, under any name.
    /// - Throws: ``PackError`` `.notFound` if a file is in none of the folders, or `.unavailable`.
    public func build(at destination: URL, from folders: [URL]) throws {
        let found = try locate(in: folders)
        try StagedFolder.put(at: destination) { staging in
            try manifestText.write(to: staging.appending(path: PackManifest.fileName))
            for file in manifest.files {
                let target = staging.appending(path: file.name)
                if let own = own[file.name] {
                    try own.write(to: target)
                } else if let source = found[file.name] {
                    guard let data = PackFile(source, followingLink: true)?.contents() else {
                        throw PackError(.unavailable, "\(source.path) cannot be read")
                    }
                    try data.write(to: target)
                }
            }
            _ = try ModelPack(folder: staging)
        }
    }

    /// - Returns: where each file is that the definition does not contain, by name.
    private func locate(in folders: [URL]) throws(PackError) -> [String: URL] {
        var wanted = manifest.files.filter { own[$0.name] == nil }
        var found: [String: URL] = [:]
        for url in folders.flatMap(Self.files) where !wanted.isEmpty {
            guard let file = PackFile(url, followingLink: true),
                wanted.contains(where: { $0.bytes == file.size }), let hash = file.sha256()
            else { continue }
            for match in wanted where match.bytes == file.size && match.sha256 == hash {
                found[match.name] = url
            }
            wanted.removeAll { found[$0.name] != nil }
        }
        guard let missing = wanted.first else { return found }
        throw PackError(
            .notFound,
            "\(missing.name) of \(manifest.id.text) is not in \(folders.map(\.path.printable).joined(separator: " or ")): "
                + "no file there has \(missing.bytes) bytes with the sha256 \(missing.sha256.prefix(12))…; its source is \(missing.source)"
        )
    }

    /// Returns the regular files in a folder, those nearest to its top first.
    private static func files(in folder: URL) -> [URL] {
        var level = [folder], out: [URL] = [], seen = 0
        for _ in 0..<depth {
            var next: [URL] = []
            for folder in level {
                let names =
                    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                for name in names.sorted() where !name.hasPrefix(".") {
                    seen += 1
                    guard seen <= maxEntries else { return out }
                    let url = folder.appending(path: name)
                    let values = try? url.resolvingSymlinksInPath().resourceValues(
                        forKeys: [.isDirectoryKey, .isRegularFileKey])
                    if values?.isDirectory == true { next.append(url) }
                    if values?.isRegularFile == true { out.append(url) }
                }
            }
            level = next
        }
        return out
    }
}
