public import Foundation

/// The clone that the tests were built from.
public enum Repository {
    /// The folder with Package.swift.
    public static let root: URL = {
        var folder = URL(filePath: #filePath)
        repeat { folder.deleteLastPathComponent() } while folder.path != "/" && !isRoot(folder)
        return folder
    }()

    private static func isRoot(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    }

    /// A file or folder of the repository: `docs/api.md`.
    public static func file(_ path: String) -> URL { root.appending(path: path) }
}
