public import Foundation
internal import MienCore

/// Where a pack comes from: a folder, an archive, or the address of an archive.
public struct PackSource: Sendable {
    /// The largest archive that is fetched or read, in bytes.
    public static let archiveLimit = 2_000_000_000

    private let text: String
    private let sha256: String?
    private let limit: Int

    /// - Parameters:
    ///   - text: a path, or an address that starts with `https://` or, with `sha256`, `http://`.
    ///   - sha256: what the archive's hash must be, in hexadecimal; `nil` accepts any.
    ///   - limit: the largest archive, and the most bytes of all its files together.
    public init(_ text: String, expecting sha256: String? = nil, limit: Int = archiveLimit) {
        (self.text, self.sha256, self.limit) = (text, sha256?.lowercased(), limit)
    }

    /// Fetches and unpacks as needed, hands over the pack's folder, and leaves nothing behind.
    ///
    /// - Parameter progress: told of every part that was fetched.
    /// - Throws: ``PackError`` `.notFound`, `.unavailable`, `.insecure`, `.damaged`, and what
    ///   `body` throws.
    public func withFolder<T>(
        progress: @escaping FetchProgress = { _, _ in }, _ body: (URL) throws -> T
    ) async throws -> T {
        let address = try PackAddress(text)
        if address == nil, let folder = try localFolder() { return try body(folder) }
        let work = try WorkFolder("pack")
        var place = URL(filePath: text)
        if let address {
            place = work.url.appending(path: "archive")
            try await address.fetch(
                to: place, limit: limit, allowsPlain: sha256 != nil, progress: progress)
        }
        let archive = try PackArchive(place, shown: address?.shown ?? text.printable, limit: limit)
        if let sha256 { try archive.check(sha256: sha256) }
        let folder = work.url.appending(path: "unpacked", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        } catch {
            throw PackError(
                .unavailable, "\(folder.path) cannot be made: \(SystemWords.reason(error))")
        }
        return try withExtendedLifetime(work) {
            try body(archive.unpack(into: folder, limit: limit))
        }
    }

    /// - Returns: `nil` when it is a file.
    private func localFolder() throws(PackError) -> URL? {
        let place = URL(filePath: text)
        guard let isFolder = try? place.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
        else {
            throw PackError(
                .notFound,
                "\(text.printable): there is no such folder or archive. Check the path, or give an https:// address."
            )
        }
        guard isFolder else { return nil }
        guard sha256 == nil else {
            throw PackError(
                .unavailable,
                "\(text.printable) is a folder; a sha256 can be compared with an archive only")
        }
        return place
    }
}
