internal import Foundation

/// A file that did not become an image. Its path may be personal: for the one who gave it, not for
/// a log.
public struct ImageFileError: Error, Sendable, Equatable {
    public enum Reason: Error, Sendable, Equatable {
        case notFound
        case notAllowed
        case isDirectory
        /// A pipe, a device, a socket.
        case notRegular
        /// Reading failed; the number is `errno`.
        case system(number: Int32)
        /// The file was read, but is no acceptable image.
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

    /// Stable words: an ``ImageError``'s own code, or one of "file.not-found", "file.not-allowed",
    /// "file.is-directory", "file.not-regular", "file.unreadable".
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
        case .notFound: "\(path): there is no such file. Check the path."
        case .notAllowed:
            "\(path): this file may not be read by the present user. Change its permissions."
        case .isDirectory: "\(path): this is a directory. Name one PNG, JPEG or GIF file."
        case .notRegular:
            "\(path): this is not a regular file but a pipe, a device or the like. Save the photo to a file and name that."
        case .system(let number):
            "\(path): reading failed: \(unsafe String(cString: strerror(number)))."
        case .image(let error): "\(path): \(error)"
        }
    }
}
