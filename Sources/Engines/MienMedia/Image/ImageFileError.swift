internal import Foundation

/// A failure to read a file as an image. Its path may be personal data: show it to the person who
/// supplied it, but do not log it.
public struct ImageFileError: Error, Sendable, Equatable {
    public enum Reason: Error, Sendable, Equatable {
        case notFound
        case notAllowed
        case isDirectory
        /// The path is a pipe, a device, or a socket.
        case notRegular
        /// Reading failed; the number is `errno`.
        case system(number: Int32)
        /// The file was read, but it is not an acceptable image.
        case image(ImageError)

        static func system(_ number: Int32) -> Self {
            switch number {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM: .notAllowed
            case EISDIR: .isDirectory
            default: .system(number: number)
            }
        }
    }

    public let path: String
    public let reason: Reason

    init(_ path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// The stable code: the one of an ``ImageError``, or "file.not-found", "file.not-allowed",
    /// "file.is-directory", "file.not-regular", or "file.unreadable".
    public var code: String {
        switch reason {
        case .notFound: "file.not-found"
        case .notAllowed: "file.not-allowed"
        case .isDirectory: "file.is-directory"
        case .notRegular: "file.not-regular"
        case .system: "file.unreadable"
        case .image(let error): error.code.rawValue
        }
    }
}

extension ImageFileError: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .notFound: "\(path): the file does not exist. Check the path."
        case .notAllowed:
            "\(path): the current user may not read this file. Change its permissions."
        case .isDirectory: "\(path): this is a directory. Specify one PNG, JPEG, or GIF file."
        case .notRegular:
            "\(path): this is a pipe, a device, or another special file. Save the photo to a regular file and specify that."
        case .system(let number):
            "\(path): reading failed: \(unsafe String(cString: strerror(number)))."
        case .image(let error): "\(path): \(error)"
        }
    }
}
