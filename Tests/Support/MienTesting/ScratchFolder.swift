import Foundation

/// A unique folder in the system's temporary directory, deleted with the last reference.
public final class ScratchFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "mien-test-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns the URL for `name`, which need not exist.
    public func callAsFunction(_ name: String) -> URL { url.appending(path: name) }

    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file
    }

    /// Returns the sorted names in the folder or in a subfolder.
    public func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.isEmpty ? url.path : url.appending(path: folder).path
        ).sorted()
    }
}
