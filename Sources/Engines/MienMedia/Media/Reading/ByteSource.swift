internal import CMienMedia
internal import Foundation
internal import SystemAV
internal import SystemPackage

/// The source of a file's bytes. FFmpeg reads only from it and opens nothing itself, so a file
/// cannot make it read another file or access a network.
///
/// For one thread at a time.
final class ByteSource {
    private enum Storage {
        case file(FileDescriptor)
        case memory([UInt8])
    }
    private let storage: Storage
    private let count: Int
    private var position = 0
    /// Called before each read.
    private let isStopped: @Sendable () -> Bool

    /// Opens the regular file at `path` and keeps it open for its own lifetime.
    init(file path: String, limits: VideoLimits, isStopped: @escaping @Sendable () -> Bool)
        throws(MediaError)
    {
        let status: Stat
        do {
            // With nonBlocking, opening a pipe does not wait for its writer.
            let file = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            do { status = try file.stat() } catch {
                try? file.close()
                throw error
            }
            (storage, self.isStopped, count) = (.file(file), isStopped, Int(status.size))
        } catch { throw Self.error((error as? Errno) ?? .ioError) }
        guard status.type != .directory else {
            throw MediaError(.fileIsDirectory, "This is a directory. Specify one video file.")
        }
        guard status.type == .regular else {
            throw MediaError(
                .fileNotRegular,
                "This is a pipe, a device, or another special file. Specify a regular file; for cameras, use the camera option."
            )
        }
        try limits.check(byteCount: count)
    }

    init(bytes: [UInt8], limits: VideoLimits) throws(MediaError) {
        (storage, count, isStopped) = (.memory(bytes), bytes.count, { false })
        try limits.check(byteCount: count)
    }

    deinit {
        if case .file(let file) = storage { try? file.close() }
    }

    private static func error(_ error: Errno) -> MediaError {
        switch error {
        case .noSuchFileOrDirectory, .notDirectory:
            MediaError(.fileNotFound, "The file does not exist. Check the path.")
        case .permissionDenied, .notPermitted:
            MediaError(
                .fileNotAllowed,
                "The current user may not read this file. Change its permissions.")
        default:
            MediaError(.fileUnreadable, "Reading failed: \(error).")
        }
    }

    /// - Returns: The number of bytes read, or a negative FFmpeg status.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        guard !isStopped() else { return mien_media_status_stopped() }
        // If the file grows, read only up to its original size.
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
        case .file(let file):
            do {
                let got = try unsafe file.read(
                    fromAbsoluteOffset: Int64(position),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
                position += got
                return got == 0 ? mien_media_status_end() : Int32(got)
            } catch { return -((error as? Errno) ?? .ioError).rawValue }
        }
    }

    /// - Returns: The new position or the size, or a negative status.
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

/// The FFmpeg side of a ``ByteSource``, which it retains.
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
        // FFmpeg may have replaced our buffer.
        unsafe av_free(context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
        unsafe source.release()
    }
}

extension MediaError {
    static let tooMuchMemory = MediaError(
        .tooMuchMemory,
        "The video needs more memory than allowed (256 MiB at a time) or available. It may be damaged. Save it again or scale it down."
    )
}
