extension FileSystem {
    /// Creates `folder` and its missing parents with mode 0700, and makes their names durable.
    ///
    /// Also syncs the deepest existing folder, because its creator may have been killed before
    /// doing so. The folders above are already durable, because no folder is created inside one
    /// that is not.
    package func ensureFolder(_ folder: String) throws(FileSystemError) {
        let parent = parentFolder(of: folder)
        guard parent != folder else { return }
        if try list(folder) == nil {
            try ensureFolder(parent)
            _ = try makeFolder(folder)
            try syncFolder(parent)
        } else {
            // We created nothing in folders that we may not read.
            do { try syncFolder(parent) } catch  where error.kind == .notPermitted {}
        }
    }

    /// Writes `bytes` to `path`, replacing an existing file. After a crash, the file is complete:
    /// either the old or the new one.
    ///
    /// If it throws, the file is still the old one, unless the last step, syncing the folder,
    /// failed: then it is the new one for now, and after a crash it may be either.
    ///
    /// The bytes are first written to a temporary file in the same folder, which
    /// ``sweep(_:prefix:)`` removes if the process is killed.
    /// - Parameters:
    ///   - random: Names the temporary file.
    ///   - prefix: Begins the temporary file's name. Differs between owners that share a folder and
    ///     sweep it independently.
    package func replaceFile(
        _ path: String, with bytes: [UInt8], random: RandomSource, prefix: String = "."
    ) throws(FileSystemError) {
        let folder = parentFolder(of: path)
        let temporary = "\(folder)/\(prefix)\(hexadecimal(random.bytes(8)))\(temporarySuffix)"
        try writeNewFile(temporary, bytes)
        do { try rename(temporary, to: path) } catch {
            try? remove(temporary)
            throw error
        }
        try syncFolder(folder)
    }

    /// Creates a file with durable bytes; its name is not yet durable. Removes the file if it
    /// throws, except after a crash.
    package func writeNewFile(_ path: String, _ bytes: [UInt8]) throws(FileSystemError) {
        let file = try createFile(path)
        defer { file.close() }
        do throws(FileSystemError) {
            try file.write(bytes)
            try file.sync()
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Removes files left by an interrupted process. Requires the lock, because otherwise a
    /// temporary file may be in use.
    package func sweep(_ folder: String, prefix: String = ".") throws(FileSystemError) {
        for name in try list(folder) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(temporarySuffix) {
            try remove("\(folder)/\(name)")
        }
    }
}

/// The suffix of temporary files. They are named `.<something>.tmp` and lie in the folder of the
/// file they become.
package let temporarySuffix = ".tmp"

/// Returns the folder part of a path: `/` for `/a`, `.` for `a`.
package func parentFolder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
