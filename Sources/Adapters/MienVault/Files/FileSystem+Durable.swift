extension FileSystem {
    /// Makes `folder` and what is missing above it, with mode 0700, and makes the names durable.
    ///
    /// The deepest folder that exists already is made durable too: whoever made it may have been
    /// killed before doing so. Of a folder above that, somebody has, since nobody makes a folder in
    /// one that is not durable.
    package func ensureFolder(_ folder: String) throws(FileSystemError) {
        let parent = parentFolder(of: folder)
        guard parent != folder else { return }
        if try list(folder) == nil {
            try ensureFolder(parent)
            _ = try makeFolder(folder)
            try syncFolder(parent)
        } else {
            // Where we may not look we made nothing.
            do { try syncFolder(parent) } catch  where error.kind == .notPermitted {}
        }
    }

    /// Puts `bytes` at `path`, in place of what is there. After a crash the file is the old one or
    /// the new one, whole.
    ///
    /// When it throws, the file is still the old one, unless the last step, syncing the folder, is
    /// what failed: then it is the new one now, and after a crash either.
    package func replaceFile(_ path: String, with bytes: [UInt8], by temporary: String)
        throws(FileSystemError)
    {
        try writeNewFile(temporary, bytes)
        do { try rename(temporary, to: path) } catch {
            try? remove(temporary)
            throw error
        }
        try syncFolder(parentFolder(of: path))
    }

    /// Makes a file of durable bytes (its name is not yet durable). Nothing is left behind when it
    /// throws and the machine goes on.
    func writeNewFile(_ path: String, _ bytes: [UInt8]) throws(FileSystemError) {
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

    /// Removes what an interrupted process left behind. Only for a holder of the lock: a temporary
    /// file may be in use otherwise.
    package func sweep(_ folder: String, prefix: String = ".") throws(FileSystemError) {
        for name in try list(folder) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(temporarySuffix) {
            try remove("\(folder)/\(name)")
        }
    }
}

/// Temporary files are named `.<something>.tmp`, in the folder of the file they become.
package let temporarySuffix = ".tmp"

/// The folder part of a path: `/` of `/a`, `.` of `a`.
func parentFolder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
