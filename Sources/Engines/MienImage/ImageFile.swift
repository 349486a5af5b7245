internal import Foundation
public import MienPixels

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
        // With O_NONBLOCK, opening a pipe does not wait for its writer.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .system(errno) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_size <= limits.maxBytes else {
            throw .image(.tooManyBytes(count: Int(status.st_size), limit: limits.maxBytes))
        }
        return try readAll(file, limit: limits.maxBytes)
    }

    private static func readAll(_ file: Int32, limit: Int) throws(ImageFileError.Reason) -> [UInt8]
    {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe part.withUnsafeMutableBytes {
                unsafe Foundation.read(file, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno) }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
        throw .image(.tooManyBytes(count: bytes.count, limit: limit))
    }
}
