public import Foundation
internal import MienCore

/// The source of a pack: a folder, an archive, or the URL of an archive.
public struct PackSource: Sendable {
    /// Maximum size of an archive in bytes.
    public static let archiveLimit = 2_000_000_000

    private let text: String
    private let sha256: String?
    private let limit: Int

    /// - Parameters:
    ///   - text: a path, or a URL that starts with `https://` or, with `sha256`, `http://`.
    ///   - sha256: the archive's expected hash in hexadecimal; `nil` accepts any.
    ///   - limit: the maximum size of the archive, and of all its files together.
    public init(_ text: String, expecting sha256: String? = nil, limit: Int = archiveLimit) {
        (self.text, self.sha256, self.limit) = (text, sha256?.lowercased(), limit)
    }

    /// Fetches and unpacks the pack if needed, passes its folder to `body`, and removes temporary
    /// files.
    ///
    /// - Parameter progress: called for every part that was fetched.
    /// - Throws: ``PackError`` `.notFound`, `.unavailable`, `.insecure`, `.damaged`, or the error
    ///   of `body`.
    public func withFolder<T>(
        progress: @escaping FetchProgress = { _, _ in }, _ body: (URL) throws -> T
    ) async throws -> T {
        let address = try PackAddress(text)
        if address == nil, let folder = try localFolder() { return try body(folder) }
        let work = try WorkFolder("pack")
        var url = URL(filePath: text)
        if let address {
            url = work.url.appending(path: "archive")
            try await address.fetch(
                to: url, limit: limit, allowsPlain: sha256 != nil, progress: progress)
        }
        let archive = try PackArchive(url, shown: address?.shown ?? text.printable, limit: limit)
        if let sha256 { try archive.check(sha256: sha256) }
        let folder = work.url.appending(path: "unpacked", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        } catch {
            throw PackError(
                .unavailable, "\(folder.path) cannot be created: \(SystemWords.reason(error))")
        }
        return try withExtendedLifetime(work) {
            try body(archive.unpack(into: folder, limit: limit))
        }
    }

    /// - Returns: `nil` if the path is a file.
    private func localFolder() throws(PackError) -> URL? {
        let url = URL(filePath: text)
        guard let isFolder = try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
        else {
            throw PackError(
                .notFound,
                "\(text.printable): no such folder or archive. Check the path, or use an https:// address."
            )
        }
        guard isFolder else { return nil }
        guard sha256 == nil else {
            throw PackError(
                .unavailable,
                "\(text.printable) is a folder; a sha256 can be checked for archives only")
        }
        return url
    }
}
