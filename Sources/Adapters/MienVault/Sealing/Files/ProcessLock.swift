internal import MienCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A lock file that one process at a time holds, and that names its holder.
///
/// The system releases the lock when the process ends for any reason, so a crash leaves nothing to
/// clean up. The lock excludes only other holders of the same lock file. Programs that do not take
/// it, such as backups, are not affected.
///
/// Source: flock(2). The lock belongs to the open file, so it also excludes a second holder in the
/// same process.
public final class ProcessLock: Sendable {
    /// Another process holds the lock.
    public struct Held: Error, Sendable, Equatable {
        /// The process that holds the lock; `nil` if it has not written its ID.
        public let holder: Int32?

        public init(holder: Int32?) { self.holder = holder }
    }

    /// The maximum wait for the holder's process ID: 20 tries, 50 ms apart. A holder writes it
    /// right after taking the lock.
    private static let holderTries = 20, holderPauseMicroseconds: UInt32 = 50_000
    /// More than the digits of any process ID.
    private static let maxHolderBytes = 32

    private let file: Locked<Descriptor?>

    /// Takes the lock at `path` without waiting, and writes this process's ID into the file.
    ///
    /// The file is created with mode 0600 if it does not exist, and stays when the lock is
    /// released.
    ///
    /// - Throws: ``Held`` if another holder has the lock; ``FileSystemError`` if the file cannot be
    ///   opened or written.
    public init(_ path: String) throws {
        guard let file = try Descriptor.open(path, .readWrite, [.create, .noFollow], for: .lock)
        else { throw FileSystemError(.lock, path, Errno.noSuchFileOrDirectory) }
        guard try file.lock(.exclusive) else { throw Held(holder: Self.holder(file)) }
        try file.rewrite(Array("\(getpid())\n".utf8))
        self.file = Locked(file)
    }

    /// Releases the lock. Calling it again has no effect.
    public func release() {
        file.withLock { file in
            guard let held = file else { return }
            try? held.rewrite([])
            held.close()
            file = nil
        }
    }

    deinit { release() }

    /// The running process that holds the lock. The file is empty or names an earlier holder until
    /// the current one has written it.
    private static func holder(_ file: Descriptor) -> Int32? {
        var holder: Int32?
        for _ in 0..<holderTries {
            let bytes = try? file.read(atMost: maxHolderBytes)
            let text = String(decoding: bytes ?? [], as: UTF8.self)
            holder = text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
            if let holder, holder > 0, kill(holder, 0) == 0 || errno != ESRCH { return holder }
            usleep(holderPauseMicroseconds)
        }
        // The process is alive elsewhere, for example in another container.
        return holder
    }
}
