package import Foundation

/// Checks and writes the output files of commands. Checks come before long work.
package enum OutputFile {
    /// - Throws: ``Failure`` when the file cannot be written.
    package static func check(file: String) throws {
        try check(folder: URL(filePath: file).deletingLastPathComponent(), for: file)
    }

    /// Checks a folder that may not exist yet.
    package static func check(folder: String) throws {
        try check(folder: URL(filePath: folder, directoryHint: .isDirectory), for: folder)
    }

    /// Writes the file completely or not at all.
    package static func write(_ data: Data, to file: URL) throws {
        do { try data.write(to: file, options: .atomic) } catch {
            throw refused(file.path, (error as? CocoaError)?.inWords)
        }
    }

    package static func makeFolder(_ folder: URL) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw refused(folder.path, (error as? CocoaError)?.inWords)
        }
    }

    /// Requires the deepest existing folder of the path to be a writable folder.
    private static func check(folder: URL, for path: String) throws {
        var folder = folder.standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1
        { folder.deleteLastPathComponent() }
        // Follows links.
        guard
            (try? folder.resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey])
                .isDirectory) == true
        else {
            throw refused(path, "\(folder.path) is not a folder")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw refused(path, "permission denied for \(folder.path)")
        }
    }

    private static func refused(_ path: String, _ reason: String?) -> Failure {
        Failure(
            .badInput, "file.not-writable",
            "\(path) cannot be written: \(reason ?? "the system denied it")")
    }
}
