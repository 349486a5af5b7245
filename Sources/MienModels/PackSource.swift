internal import Crypto
public import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Where a pack comes from: a folder, an archive, or the address of an archive.
public struct PackSource: Sendable {
    /// The largest archive that is fetched, in bytes.
    public static let archiveLimit = 2_000_000_000

    private let text: String
    private let sha256: String?

    /// - Parameter sha256: what the archive's hash must be, in hexadecimal; `nil` accepts any.
    public init(_ text: String, expecting sha256: String? = nil) { (self.text, self.sha256) = (text, sha256?.lowercased()) }

    /// Fetches and unpacks as needed, hands over the pack's folder, and leaves nothing behind.
    ///
    /// - Throws: ``PackError`` `.unavailable` and what `body` throws.
    public func withFolder<T>(_ body: (URL) throws -> T) async throws -> T {
        let work = FileManager.default.temporaryDirectory.appending(path: "mien-pack-\(UUID().uuidString)", directoryHint: .isDirectory)
        do { try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]) } catch {
            throw PackError(.unavailable, "no temporary folder can be made in \(work.deletingLastPathComponent().path)")
        }
        defer { try? FileManager.default.removeItem(at: work) }
        let place = try await local(work)
        guard let values = try? place.resourceValues(forKeys: [.isDirectoryKey]), let isFolder = values.isDirectory else {
            throw PackError(.unavailable, "\(text): there is no such folder or archive")
        }
        if isFolder {
            guard sha256 == nil else { throw PackError(.unavailable, "\(text) is a folder; a sha256 can be compared with an archive only") }
            return try body(place)
        }
        try check(place)
        return try body(try unpack(place, into: work))
    }

    private func local(_ work: URL) async throws -> URL {
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else { return URL(filePath: text) }
        guard let url = URL(string: text) else { throw PackError(.unavailable, "\(text) is not an address") }
        let fetched: URL
        let response: URLResponse
        do { (fetched, response) = try await URLSession.shared.download(from: url) } catch {
            throw PackError(.unavailable, "\(text) could not be fetched: \(error.localizedDescription)")
        }
        defer { try? FileManager.default.removeItem(at: fetched) }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw PackError(.unavailable, "\(text) could not be fetched: the server answered \(status)") }
        let place = work.appending(path: "archive")
        do { try FileManager.default.moveItem(at: fetched, to: place) } catch {
            throw PackError(.unavailable, "\(text) was fetched but could not be stored: \(error.localizedDescription)")
        }
        return place
    }

    private func check(_ archive: URL) throws(PackError) {
        guard let data = try? Data(contentsOf: archive, options: .mappedIfSafe) else {
            throw PackError(.unavailable, "\(text) cannot be read")
        }
        guard data.count <= Self.archiveLimit else { throw PackError(.unavailable, "\(text) has \(data.count) bytes; 2 GB are allowed") }
        guard let sha256 else { return }
        let found = ModelPack.sha256(data)
        guard found == sha256 else { throw PackError(.damaged, "\(text) has the sha256 \(found), not the one asked for; do not use it") }
    }

    /// The folder in the archive that holds the manifest: its top, or the one folder there.
    private func unpack(_ archive: URL, into work: URL) throws(PackError) -> URL {
        let folder = work.appending(path: "unpacked", directoryHint: .isDirectory)
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive.path, "-C", folder.path, "--no-same-owner", "--no-same-permissions"]
        tar.standardInput = FileHandle.nullDevice
        tar.standardOutput = FileHandle.nullDevice
        tar.standardError = FileHandle.nullDevice
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try tar.run()
        } catch { throw PackError(.unavailable, "\(text) could not be unpacked: \(error.localizedDescription)") }
        tar.waitUntilExit()
        guard tar.terminationStatus == 0 else {
            throw PackError(.unavailable, "\(text) is not a tar archive that can be unpacked; a pack is a folder or a .tar, .tar.gz or .tgz of one")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        if names.contains(PackManifest.fileName) { return folder }
        guard names.count == 1 else { throw PackError(.badManifest, "\(text) holds no \(PackManifest.fileName)") }
        return folder.appending(path: names[0], directoryHint: .isDirectory)
    }
}
