internal import ArgumentParser
internal import Foundation
internal import MienFace
internal import MienMedia
internal import MienModels
internal import MienVault

/// An error for people and scripts: one sentence that says what is wrong, where, what is allowed,
/// and how to fix it.
public struct Failure: Error {
    public let outcome: Outcome
    /// A stable code for scripts.
    public let code: String
    public let message: String

    public init(_ outcome: Outcome, _ code: String, _ message: String) {
        (self.outcome, self.code, self.message) = (outcome, code, Terminal.safe(message))
    }
}

/// An error that says itself which ``Failure`` it is, because it belongs to a module above this one.
package protocol FailureConvertible: Error {
    var failure: Failure { get }
}

extension Failure {
    /// Maps an error to an exit code: ``FailureConvertible`` errors and all errors of the modules
    /// below.
    package init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any FailureConvertible: self = error.failure
        case let error as ImageFileError: self.init(.badInput, error.code, error.description)
        case let error as ImageError: self.init(.badInput, error.code.rawValue, error.description)
        case let error as PersonNameError:
            self.init(.badInput, error.rawValue, "the name is invalid: \(error)")
        // A wrong path is a mistake in the arguments. Most other errors are about a pack or its
        // source.
        case let error as PackError:
            self.init(
                [.notFound, .insecure].contains(error.code) ? .badInput : .notSetUp,
                error.code.rawValue, error.reason)
        case let error as MediaError:
            self.init(error.isSlip ? .badInput : .notSetUp, error.code.rawValue, error.reason)
        case let error as InferenceError: self.init(.notSetUp, error.code.rawValue, error.reason)
        case let error as FaceModelError: self.init(.notSetUp, "face.model", error.description)
        case let error as KeyFileError: self.init(.notSetUp, error.code, error.description)
        case let error as FaceStoreError: self.init(.notSetUp, error.code, error.description)
        case let error as FileSystemError:
            self.init(.notSetUp, error.kind.rawValue, error.description)
        case let error as CalibrationError:
            self.init(.badInput, "calibrate.too-few", error.description)
        case let error as CocoaError:
            self.init(
                .badInput, error.stableCode,
                (error.filePath.map { "\($0): " } ?? "") + error.inWords)
        default:
            self.init(
                .notSetUp, "internal",
                "internal error, please report it: \(error)")
        }
    }
}

extension MediaError {
    /// Whether the error is about the named file or camera, not about the machine.
    fileprivate var isSlip: Bool {
        switch code {
        case .fileNotFound, .fileNotAllowed, .fileIsDirectory, .fileNotRegular, .fileUnreadable,
            .empty, .tooManyBytes, .notVideo, .noVideoStream,
            .unsupportedCodec, .tooManyPixels, .sides, .tooLong, .tooMuchMemory, .corrupt,
            .unknownCamera:
            true
        case .noCamera, .cameraBusy, .cameraNotAllowed, .cameraGone, .cameraSilent, .cameraFailed,
            .virtualCamera, .noCameraLibrary:
            false
        }
    }
}

extension CocoaError {
    /// A code that is the same on all systems and versions, unlike Foundation's numbers.
    var stableCode: String {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "file.not-found"
        case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly:
            "file.not-allowed"
        case .fileWriteOutOfSpace: "file.no-space"
        case .fileWriteFileExists: "file.already-exists"
        case _ where (512..<640).contains(code.rawValue): "file.not-writable"
        default: "file.unreadable"
        }
    }

    var inWords: String {
        switch stableCode {
        case "file.not-found": "the file or folder does not exist; check the path"
        case "file.not-allowed":
            "permission denied; change the permissions, or use another folder"
        case "file.no-space": "the disk is full; free some space"
        case "file.already-exists": "it already exists; use another name"
        case "file.not-writable":
            "it cannot be written; check that the path is right and its parents are folders"
        default: "it cannot be read"
        }
    }
}
