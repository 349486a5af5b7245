import Foundation

/// The clone from which the tests were built.
public enum Repository {
    /// The folder that contains Package.swift.
    public static let root: URL = {
        var folder = URL(filePath: #filePath)
        repeat { folder.deleteLastPathComponent() } while folder.path != "/" && !isRoot(folder)
        return folder
    }()

    private static func isRoot(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    }

    /// Returns the URL of a file or folder in the repository, such as `docs/api.md`.
    public static func file(_ path: String) -> URL { root.appending(path: path) }
}
