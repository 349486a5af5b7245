internal import Foundation
public import MienFace
internal import SystemPackage

/// Reads images by path. Every error names the file.
public enum ImageFile {
    /// Decodes the file at `path` into an upright image. See ``ImageDecoder``.
    /// - Throws: ``ImageFileError``.
    public static func decode(_ path: String, limits: ImageLimits = .standard)
        throws(ImageFileError) -> RGBImage
    {
        let bytes = try read(path, limits: limits)
        do { return try ImageDecoder.decode(bytes, limits: limits) } catch {
            throw ImageFileError(path, .image(error))
        }
    }

    /// Returns the bytes of a regular file. Checks its size before reading, and stops at the limit
    /// if the file grows.
    /// - Throws: ``ImageFileError``.
    public static func read(_ path: String, limits: ImageLimits = .standard) throws(ImageFileError)
        -> [UInt8]
    {
        do { return try contents(of: path, limits: limits) } catch {
            throw ImageFileError(path, error)
        }
    }

    private static func contents(of path: String, limits: ImageLimits) throws(ImageFileError.Reason)
        -> [UInt8]
    {
        do {
            // With nonBlocking, opening a pipe does not wait for its writer.
            let file = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
                let status = try file.stat()
                guard status.type != .directory else { throw ImageFileError.Reason.isDirectory }
                guard status.type == .regular else { throw ImageFileError.Reason.notRegular }
                let size = Int(status.size)
                guard size <= limits.maxBytes else {
                    throw ImageFileError.Reason.image(
                        .tooManyBytes(count: size, limit: limits.maxBytes))
                }
                return try readAll(file, limit: limits.maxBytes)
            }
        } catch let error as Errno {
            throw .system(error.rawValue)
        } catch {
            throw error as? ImageFileError.Reason ?? .system(EIO)
        }
    }

    private static func readAll(_ file: FileDescriptor, limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = try unsafe part.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
        throw ImageFileError.Reason.image(.tooManyBytes(count: bytes.count, limit: limit))
    }
}
