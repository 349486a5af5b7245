internal import Foundation
internal import MienCore
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#else
internal import Darwin
#endif

/// JSON in a file that only its owner may read (0600). Each change replaces the whole file, so it
/// is never half written.
struct PrivateFile<Content: Codable> {
    private static var maxBytes: Int { 1 << 20 }

    let path: String

    /// - Returns: `nil` if the file does not exist or is empty.
    /// - Throws: ``PrivateFileError``.
    func read() throws -> Content? {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .noFollow])
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch { throw PrivateFileError(reason: "\(path) cannot be opened.") }
        let file = FileHandle(fileDescriptor: descriptor.rawValue, closeOnDealloc: true)
        guard let status = try? descriptor.stat(), status.type == .regular,
            status.permissions.isDisjoint(with: .othersAndGroup)
        else {
            throw PrivateFileError(
                reason: "\(path) is not a file that only its owner may read. Run chmod 600.")
        }
        guard let data = try file.read(upToCount: Self.maxBytes + 1), !data.isEmpty else {
            return nil
        }
        guard data.count <= Self.maxBytes,
            let content = try? JSONDecoder().decode(Content.self, from: data)
        else {
            throw PrivateFileError(reason: "\(path) is malformed. Remove it.")
        }
        return content
    }

    func write(_ content: Content) throws {
        var generator = SystemRandomNumberGenerator()
        let next = "\(path).\(Base64URL.encode(generator.bytes(6)))"
        guard
            let descriptor = try? FileDescriptor.open(
                FilePath(next), .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: [.ownerRead, .ownerWrite])
        else { throw PrivateFileError(reason: "\(path) cannot be written.") }
        let file = FileHandle(fileDescriptor: descriptor.rawValue, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(Connection.encode(content)))
            try file.synchronize()
            try file.close()
            guard unsafe rename(next, path) == 0 else {
                throw PrivateFileError(reason: "\(path) cannot be replaced.")
            }
        } catch {
            _ = unsafe unlink(next)
            throw error
        }
    }
}

/// An error that tokens cannot be read or stored.
public struct PrivateFileError: Error, Sendable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}

extension FilePermissions {
    fileprivate static var othersAndGroup: FilePermissions {
        [.groupReadWriteExecute, .otherReadWriteExecute]
    }
}
