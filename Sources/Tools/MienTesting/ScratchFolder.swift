public import Foundation

/// A folder of its own in the machine's temporary place, gone with the last reference.
public final class ScratchFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "mien-test-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Where `name` is or will be.
    public func callAsFunction(_ name: String) -> URL { url.appending(path: name) }

    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> URL {
        let place = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: place)
        return place
    }

    /// The names in it or in a folder of it, sorted.
    public func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.isEmpty ? url.path : url.appending(path: folder).path
        ).sorted()
    }
}
