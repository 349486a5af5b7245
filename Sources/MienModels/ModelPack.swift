internal import Crypto
public import Foundation
public import MienCore
internal import MienFace

/// A model pack whose files are what its manifest says.
///
/// There is no other way to get one than ``init(folder:)``, so nothing runs a network that was not checked.
public struct ModelPack: Sendable {
    public let folder: URL
    public let manifest: PackManifest

    public var id: PackID { manifest.id }

    /// Reads the manifest and compares every file with its hash: some 30 MB, about 0.1 s.
    ///
    /// - Throws: ``PackError`` `.badManifest` or `.damaged`.
    public init(folder: URL) throws(PackError) {
        manifest = try Self.manifest(in: folder)
        self.folder = folder
        for file in manifest.files { try Self.check(file, in: folder) }
    }

    /// The manifest alone, without a look at the other files.
    public static func manifest(in folder: URL) throws(PackError) -> PackManifest {
        let url = folder.appending(path: PackManifest.fileName)
        guard let data = try? Data(contentsOf: url), data.count <= 1_000_000 else {
            throw PackError(.badManifest, "\(folder.path) is not a model pack: it holds no readable \(PackManifest.fileName) of at most 1 MB")
        }
        let manifest: PackManifest
        do { manifest = try JSONDecoder().decode(PackManifest.self, from: data) } catch {
            throw PackError(.badManifest, "\(url.path): \(Self.words(for: error))")
        }
        if let fault = manifest.faults.first { throw PackError(.badManifest, "\(url.path): \(fault)") }
        return manifest
    }

    /// A file's whole contents, by its name in the manifest.
    public func contents(of name: String) throws(PackError) -> Data {
        guard let data = try? Data(contentsOf: folder.appending(path: name)) else {
            throw PackError(.damaged, "\(folder.appending(path: name).path) cannot be read")
        }
        return data
    }

    private static func check(_ file: PackManifest.File, in folder: URL) throws(PackError) {
        let url = folder.appending(path: file.name)
        guard let data = try? Data(contentsOf: url, options: .mappedIfSafe) else {
            throw PackError(.damaged, "\(url.path) is missing or cannot be read; install the pack again (scripts/setup, or mien models install)")
        }
        guard data.count == file.bytes, sha256(data) == file.sha256 else {
            throw PackError(
                .damaged, "\(url.path) is not the file its manifest describes (sha256 differs); install the pack again and do not use this one")
        }
    }

    /// 64 lower-case hexadecimal digits.
    static func sha256(_ data: Data) -> String {
        SHA256.hash(data: data).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    private static func words(for error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String { path.isEmpty ? "the top" : path.map(\.stringValue).joined(separator: ".") }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "“\(key.stringValue)” is missing at \(place(context.codingPath))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context): "a value of another type is expected at \(place(context.codingPath))"
        case .dataCorrupted(let context): "not understood at \(place(context.codingPath))"
        default: "not understood"
        }
    }
}
