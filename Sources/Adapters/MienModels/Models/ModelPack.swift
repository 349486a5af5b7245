internal import Crypto
public import Foundation
public import MienCore
internal import MienFace

/// A model pack whose files match its manifest.
///
/// ``init(folder:)`` is the only way to create one, so every network that runs has been verified.
public struct ModelPack: Sendable {
    public let folder: URL
    public let manifest: PackManifest

    public var id: PackID { manifest.id }

    /// Reads the manifest and verifies every file's hash: about 30 MB, in about 0.1 s.
    ///
    /// - Throws: ``PackError`` `.badManifest` or `.damaged`.
    public init(folder: URL) throws(PackError) {
        manifest = try Self.manifest(in: folder)
        self.folder = folder
        for file in manifest.files { try Self.check(file, in: folder) }
    }

    /// Reads only the manifest, without verifying the other files.
    public static func manifest(in folder: URL) throws(PackError) -> PackManifest {
        let url = folder.appending(path: PackManifest.fileName)
        guard let file = PackFile(url), file.size <= PackManifest.sizeLimit,
            let data = file.contents()
        else {
            throw PackError(
                .badManifest,
                "\(folder.path) is not a model pack: it contains no readable \(PackManifest.fileName) of at most 1 MB"
            )
        }
        return try Self.manifest(data, shown: url.path)
    }

    static func manifest(_ data: Data, shown: String) throws(PackError) -> PackManifest {
        let manifest: PackManifest
        do { manifest = try PackManifest(parsing: data) } catch {
            throw PackError(.badManifest, "\(shown): \(Self.words(for: error))")
        }
        if let fault = manifest.faults.first {
            throw PackError(.badManifest, "\(shown): \(fault)")
        }
        return manifest
    }

    /// 16 hexadecimal digits that identify the contents of all files. Any change of a file changes
    /// them.
    public var fingerprint: String {
        let lines = manifest.files.map { "\($0.name) \($0.sha256)\n" }.sorted().joined()
        return String(Self.sha256(Data(lines.utf8)).prefix(16))
    }

    /// Returns a file's contents by its name in the manifest.
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
                "\(url.path) is missing, unreadable or not a regular file; reinstall the pack (scripts/setup, or mien models install)"
            )
        }
        guard found.size == file.bytes, found.sha256() == file.sha256 else {
            throw PackError(
                .damaged,
                "\(url.path) does not match its manifest (sha256 differs); do not use this pack, and install it again"
            )
        }
    }

    /// Returns 64 lowercase hexadecimal digits.
    static func sha256(_ data: Data) -> String { hexadecimal(SHA256.hash(data: data)) }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    static func words(for error: any Error) -> String {
        func location(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "the top" : path.map(\.stringValue).joined(separator: ".").printable
        }
        if let error = error as? JSONTextError { return error.description.printable }
        if let error = error as? CalibrationError { return error.description }
        if let error = error as? CohortError { return error.description }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            "“\(key.stringValue)” is missing at \(location(context.codingPath))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "a value has the wrong type at \(location(context.codingPath))"
        case .dataCorrupted(let context): "cannot be decoded at \(location(context.codingPath))"
        default: "not understood"
        }
    }
}
