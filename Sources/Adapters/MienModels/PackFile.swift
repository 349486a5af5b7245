internal import Crypto
internal import Foundation

/// A regular file opened for reading, with its size at that time. Not `Sendable`: use it from one
/// function at a time.
final class PackFile {
    /// The size in bytes when the file was opened. Data appended later is not read.
    let size: Int
    let number: Int32
    private static let partSize = 1 << 20

    /// - Parameter followingLink: set for a path given by a person. A link inside a pack is not a
    ///   valid file of the pack.
    /// - Returns: `nil` if the file does not exist, cannot be read, or is not a regular file.
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

    /// Passes the bytes to `body` in parts, from the start.
    /// - Returns: `false` if reading fails or the file has become shorter.
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
