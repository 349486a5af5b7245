public import Foundation

/// Files in some folders, found by their hashes under any name.
public struct PublishedFiles: Sendable {
    /// A file to find.
    public struct Wanted: Sendable, Hashable {
        /// The name in the answer. The file may have another.
        public let name: String
        public let bytes: Int
        /// 64 lowercase hexadecimal digits.
        public let sha256: String

        public init(name: String, bytes: Int, sha256: String) {
            (self.name, self.bytes, self.sha256) = (name, bytes, sha256)
        }
    }

    public let folders: [URL]
    /// How deep folders are searched, and how many of their entries are inspected.
    private static let depth = 4, maxEntries = 10_000

    public init(in folders: [URL]) { self.folders = folders }

    /// Returns the locations of the files that were found, by the wanted names. Reads only files of
    /// a wanted size.
    public func locate(_ files: [Wanted]) -> [String: URL] {
        var wanted = files
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
        return found
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
