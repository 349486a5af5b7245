public import Foundation
internal import MienCore

/// Puts a pack together from its definition, and from published files that are found by their
/// hashes wherever they are.
public struct PackAssembly: Sendable {
    public let manifest: PackManifest
    private let manifestText: Data
    private let own: [String: Data]

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
    /// - Parameters:
    ///   - folders: where the files may be, under any name.
    ///   - finish: changes the pack in the folder that it gets, before it is checked and moved to
    ///     `destination`.
    /// - Throws: ``PackError`` `.notFound` if a file is in none of the folders, or `.unavailable`;
    ///   the errors of `finish`.
    public func build(
        at destination: URL, from folders: [URL], finish: (URL) throws -> Void = { _ in }
    ) throws {
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
            try finish(staging)
            _ = try ModelPack(folder: staging)
        }
    }

    /// - Returns: where each file is that the definition does not contain, by name.
    private func locate(in folders: [URL]) throws(PackError) -> [String: URL] {
        let wanted = manifest.files.filter { own[$0.name] == nil }
        let found = PublishedFiles(in: folders).locate(
            wanted.map { .init(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) })
        guard let missing = wanted.first(where: { found[$0.name] == nil }) else { return found }
        throw PackError(
            .notFound,
            "\(missing.name) of \(manifest.id.text) is not in \(folders.map(\.path.printable).joined(separator: " or ")): "
                + "no file there has \(missing.bytes) bytes with the sha256 \(missing.sha256.prefix(12))…; its source is \(missing.source)"
        )
    }
}
