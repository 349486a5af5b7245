import Foundation

/// Where a command puts what it made. Looked at before the long work, not after it.
enum OutputPlace {
    /// - Throws: ``Failure`` when nothing could be written there.
    static func check(file: String) throws {
        try check(folder: URL(filePath: file).deletingLastPathComponent(), for: file)
    }

    /// A folder that may be made.
    static func check(folder: String) throws {
        try check(folder: URL(filePath: folder, directoryHint: .isDirectory), for: folder)
    }

    /// Whole or not at all.
    static func write(_ data: Data, to file: URL) throws {
        do { try data.write(to: file, options: .atomic) } catch {
            throw refused(file.path, (error as? CocoaError)?.inWords)
        }
    }

    static func makeFolder(_ folder: URL) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw refused(folder.path, (error as? CocoaError)?.inWords)
        }
    }

    /// The deepest folder that is there already has to be one, and to let us in.
    private static func check(folder: URL, for place: String) throws {
        var folder = folder.standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1
        { folder.deleteLastPathComponent() }
        // Of what a link leads to.
        guard
            (try? folder.resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey])
                .isDirectory) == true
        else {
            throw refused(place, "\(folder.path) is not a folder")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw refused(place, "the present user may not write into \(folder.path)")
        }
    }

    private static func refused(_ place: String, _ reason: String?) -> Failure {
        Failure(
            .badInput, "file.not-writable",
            "\(place) cannot be written: \(reason ?? "the system refused")")
    }
}
