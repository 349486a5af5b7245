internal import Crypto
public import Foundation
public import MienCore
internal import MienFace

/// A model pack whose files are what its manifest says.
///
/// There is no other way to get one than ``init(folder:)``, so nothing runs a network that was not
/// checked.
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
        guard let file = PackFile(url), file.size <= PackManifest.sizeLimit,
            let data = file.contents()
        else {
            throw PackError(
                .badManifest,
                "\(folder.path) is not a model pack: it holds no readable \(PackManifest.fileName) of at most 1 MB"
            )
        }
        let manifest: PackManifest
        do { manifest = try PackManifest(parsing: data) } catch {
            throw PackError(.badManifest, "\(url.path): \(Self.words(for: error))")
        }
        if let fault = manifest.faults.first {
            throw PackError(.badManifest, "\(url.path): \(fault)")
        }
        return manifest
    }

    /// 16 hexadecimal digits that stand for the contents of all files: another pack, or the same
    /// one with another file, has others.
    public var fingerprint: String {
        let lines = manifest.files.map { "\($0.name) \($0.sha256)\n" }.sorted().joined()
        return String(Self.sha256(Data(lines.utf8)).prefix(16))
    }

    /// A file's whole contents, by its name in the manifest.
    public func contents(of name: String) throws(PackError) -> Data {
        let url = folder.appending(path: name)
        guard let declared = manifest.files.first(where: { $0.name == name }),
            let file = PackFile(url), file.size == declared.bytes,
            let data = file.contents()
        else { throw PackError(.damaged, "\(url.path) cannot be read") }
        return data
    }

    private static func check(_ file: PackManifest.File, in folder: URL) throws(PackError) {
        let url = folder.appending(path: file.name)
        guard let found = PackFile(url) else {
            throw PackError(
                .damaged,
                "\(url.path) is missing, cannot be read or is not a regular file; install the pack again (scripts/setup, or mien models install)"
            )
        }
        guard found.size == file.bytes, found.sha256() == file.sha256 else {
            throw PackError(
                .damaged,
                "\(url.path) is not the file its manifest describes (sha256 differs); install the pack again and do not use this one"
            )
        }
    }

    /// 64 lower-case hexadecimal digits.
    static func sha256(_ data: Data) -> String { hexadecimal(SHA256.hash(data: data)) }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    static func words(for error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "the top" : path.map(\.stringValue).joined(separator: ".").printable
        }
        if let error = error as? JSONTextError { return error.description.printable }
        if let error = error as? CalibrationError { return error.description }
        if let error = error as? CohortError { return error.description }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            "“\(key.stringValue)” is missing at \(place(context.codingPath))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "a value of another type is expected at \(place(context.codingPath))"
        case .dataCorrupted(let context): "not understood at \(place(context.codingPath))"
        default: "not understood"
        }
    }
}
