internal import Crypto
internal import Foundation
internal import SystemPackage

/// A regular file opened for reading, with its size at that time. Not `Sendable`: use it from one
/// function at a time.
final class PackFile {
    /// The size in bytes when the file was opened. Data appended later is not read.
    let size: Int
    private let file: FileDescriptor
    private static let partSize = 1 << 20

    /// - Parameter followingLink: set for a path given by a person. A link inside a pack is not a
    ///   valid file of the pack.
    /// - Returns: `nil` if the file does not exist, cannot be read, or is not a regular file.
    init?(_ url: URL, followingLink: Bool = false) {
        // With nonBlocking, opening a pipe does not wait for its writer.
        var options: FileDescriptor.OpenOptions = [.closeOnExec, .nonBlocking]
        if !followingLink { options.insert(.noFollow) }
        guard let file = try? FileDescriptor.open(FilePath(url.path), .readOnly, options: options)
        else {
            return nil
        }
        guard let status = try? file.stat(), status.type == .regular else {
            try? file.close()
            return nil
        }
        (self.file, size) = (file, Int(status.size))
    }

    deinit { try? file.close() }

    /// Passes the bytes to `body` in parts, from the start.
    /// - Returns: `false` if reading fails or the file has become shorter.
    func read(_ body: (ArraySlice<UInt8>) -> Void) -> Bool {
        let next = bytes()
        var left = size
        while left > 0 {
            guard let part = try? next(left), !part.isEmpty else { return false }
            body(part[...])
            left -= part.count
        }
        return true
    }

    /// Returns a function that returns the next bytes, from the start: up to the number requested,
    /// and none at the end.
    func bytes() -> (_ atMost: Int) throws(Errno) -> [UInt8] {
        var position: Int64 = 0
        return { [self] limit throws(Errno) in
            var part = [UInt8](repeating: 0, count: min(limit, Self.partSize))
            let count: Int
            do {
                count = try unsafe part.withUnsafeMutableBytes {
                    try unsafe file.read(fromAbsoluteOffset: position, into: $0)
                }
            } catch { throw error as? Errno ?? .ioError }
            position += Int64(count)
            part.removeLast(part.count - count)
            return part
        }
    }

    func begins(with magic: [UInt8]) -> Bool { (try? bytes()(magic.count)) == magic }

    /// - Returns: `nil` if the file cannot be read.
    func contents() -> Data? {
        var data = Data(capacity: size)
        return read { data.append(contentsOf: $0) } ? data : nil
    }

    /// Returns 64 lowercase hexadecimal digits; `nil` if the file cannot be read.
    func sha256() -> String? {
        var hash = SHA256()
        return read { hash.update(data: $0) } ? ModelPack.hexadecimal(hash.finalize()) : nil
    }
}
