internal import Crypto
internal import Foundation

/// A regular file, opened for reading, of the size it had then. Not `Sendable`: one function at a
/// time.
final class PackFile {
    /// In bytes, when it was opened: no more is read, whatever is appended meanwhile.
    let size: Int
    let number: Int32
    private static let partSize = 1 << 20

    /// - Parameter followingLink: for a path that a person gave; a link inside a pack is no file of
    ///   the pack.
    /// - Returns: `nil` when there is no such file, it may not be read, or it is not a regular
    ///   file.
    init?(_ url: URL, followingLink: Bool = false) {
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        number = unsafe open(
            url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW))
        var status = stat()
        guard number >= 0, unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else {
            size = 0
            return nil
        }
        size = Int(status.st_size)
    }

    deinit { if number >= 0 { close(number) } }

    /// Hands over the bytes from the start, in parts.
    /// - Returns: `false` when the system refuses, or the file has become shorter.
    func read(_ body: (ArraySlice<UInt8>) -> Void) -> Bool {
        var part = [UInt8](repeating: 0, count: min(Self.partSize, max(size, 1))), done = 0
        while done < size {
            let wanted = min(part.count, size - done)
            let count = unsafe part.withUnsafeMutableBytes {
                unsafe pread(number, $0.baseAddress, wanted, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            body(part[..<count])
            done += count
        }
        return true
    }

    /// - Returns: `nil` when it cannot be read.
    func contents() -> Data? {
        var data = Data(capacity: size)
        return read { data.append(contentsOf: $0) } ? data : nil
    }

    /// 64 lower-case hexadecimal digits; `nil` when it cannot be read.
    func sha256() -> String? {
        var hash = SHA256()
        return read { hash.update(data: $0) } ? ModelPack.hexadecimal(hash.finalize()) : nil
    }
}
