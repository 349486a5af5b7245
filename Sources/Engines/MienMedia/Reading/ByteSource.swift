internal import CMienMedia
internal import Foundation
internal import SystemAV

/// Where a file's bytes come from: FFmpeg is given these and opens nothing by itself, so no file
/// can make it read another or ask a network.
///
/// Used by one thread at a time.
final class ByteSource {
    private enum Storage {
        case file(descriptor: Int32)
        case memory([UInt8])
    }
    private let storage: Storage
    private let count: Int
    private var position = 0
    /// Asked before each read.
    private let isStopped: @Sendable () -> Bool

    /// The regular file at `path`, which is kept open until this is let go.
    init(file path: String, limits: VideoLimits, isStopped: @escaping @Sendable () -> Bool)
        throws(MediaError)
    {
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(errno) }
        (storage, self.isStopped) = (.file(descriptor: descriptor), isStopped)
        var status = stat()
        count = unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : -1
        guard count >= 0 else { throw Self.error(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw MediaError(.fileIsDirectory, "This is a directory. Name one video file.")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(
                .fileNotRegular,
                "This is not a regular file but a pipe, a device or the like. Name a file; cameras have an option of their own."
            )
        }
        try limits.check(byteCount: count)
    }

    init(bytes: [UInt8], limits: VideoLimits) throws(MediaError) {
        (storage, count, isStopped) = (.memory(bytes), bytes.count, { false })
        try limits.check(byteCount: count)
    }

    deinit {
        if case .file(let descriptor) = storage { close(descriptor) }
    }

    private static func error(_ number: Int32) -> MediaError {
        switch number {
        case ENOENT, ENOTDIR: MediaError(.fileNotFound, "There is no such file. Check the path.")
        case EACCES, EPERM:
            MediaError(
                .fileNotAllowed,
                "This file may not be read by the present user. Change its permissions.")
        default:
            unsafe MediaError(
                .fileUnreadable, "Reading failed: \(String(cString: strerror(number))).")
        }
    }

    /// - Returns: how many bytes, or a negative status of FFmpeg's.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        guard !isStopped() else { return mien_media_status_stopped() }
        // A file that grows meanwhile is read as long as it was.
        let wanted = min(buffer.count, count - position)
        guard wanted > 0 else { return mien_media_status_end() }
        switch storage {
        case .memory(let bytes):
            unsafe bytes.withUnsafeBytes {
                unsafe buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[position..<position + wanted]))
            }
            position += wanted
            return Int32(wanted)
        case .file(let descriptor):
            while true {
                let got = unsafe pread(descriptor, buffer.baseAddress, wanted, off_t(position))
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { return -errno }
                position += got
                return got == 0 ? mien_media_status_end() : Int32(got)
            }
        }
    }

    /// - Returns: the new position or the size, or a negative status.
    fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
        let start: Int
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return Int64(count)
        case SEEK_SET: start = 0
        case SEEK_CUR: start = position
        case SEEK_END: start = count
        default: return Int64(-EINVAL)
        }
        let (to, overflow) = start.addingReportingOverflow(Int(offset))
        guard !overflow, to >= 0 else { return Int64(-EINVAL) }
        position = to
        return Int64(to)
    }
}

/// FFmpeg's side of a ``ByteSource``, which it keeps.
@safe final class ByteReader {
    let context: UnsafeMutablePointer<AVIOContext>
    private let source: Unmanaged<ByteSource>

    init(_ source: ByteSource) throws(MediaError) {
        let kept = unsafe Unmanaged.passRetained(source)
        let size: Int32 = 1 << 16
        guard let buffer = unsafe av_malloc(Int(size)) else {
            unsafe kept.release()
            throw .tooMuchMemory
        }
        let context = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), size, 0, kept.toOpaque(),
            { source, buffer, count in
                let source = unsafe Unmanaged<ByteSource>.fromOpaque(source!).takeUnretainedValue()
                return unsafe source.read(
                    into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
            }, nil,
            { source, offset, whence in
                unsafe Unmanaged<ByteSource>.fromOpaque(source!).takeUnretainedValue().seek(
                    to: offset, whence: whence)
            })
        guard let context = unsafe context else {
            unsafe av_free(buffer)
            unsafe kept.release()
            throw .tooMuchMemory
        }
        unsafe self.context = context
        unsafe self.source = kept
    }

    deinit {
        // FFmpeg may have put another buffer in the place of ours.
        unsafe av_free(context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
        unsafe source.release()
    }
}

extension MediaError {
    static let tooMuchMemory = MediaError(
        .tooMuchMemory,
        "The video asks for more memory than it may have (256 MiB at a time) or than is left. It may be damaged: save it again, or scale it down."
    )
}
