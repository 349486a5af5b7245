import ArgumentParser
import Foundation
import MienClient
import MienDeviceLinux
import MienFace
import MienImage
import MienInference
import MienMedia
import MienModels
import MienOTP
import MienSealing
import MienServer
import MienServerCore
import MienVault

/// An error for people and scripts: one sentence that says what is wrong, where, what is allowed,
/// and how to fix it.
struct Failure: Error {
    let outcome: Outcome
    /// A stable code for scripts.
    let code: String
    let message: String

    init(_ outcome: Outcome, _ code: String, _ message: String) {
        (self.outcome, self.code, self.message) = (outcome, code, Terminal.safe(message))
    }
}

extension Failure {
    /// Maps every error of the modules below to an exit code.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
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
        case let error as ServerStartError:
            self.init(.notSetUp, error.code.rawValue, error.description)
        case let error as KeyFileError: self.init(.notSetUp, error.code, error.description)
        case let error as FaceStoreError: self.init(.notSetUp, error.code, error.description)
        case let error as FileSystemError:
            self.init(.notSetUp, error.kind.rawValue, error.description)
        case let error as MienError: self.init(error, about: nil)
        case let error as FaceAuthError: self.init(.notSetUp, error.code.rawValue, error.reason)
        case let error as OTPTokenError:
            self.init(error.isSlip ? .badInput : .notSetUp, error.code.rawValue, error.reason)
        case let error as OTPError: self.init(.badInput, error.code.rawValue, error.reason)
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

    /// Prints `error` and returns its exit code.
    ///
    /// Help goes to standard output. Errors go to standard error; with `--json` also to standard
    /// output, as an object.
    static func report(_ error: any Error, arguments: [String]) -> Outcome {
        if let outcome = error as? Outcome { return outcome }
        if error is CleanExit || MienCommand.exitCode(for: error) == .success {
            print(MienCommand.fullMessage(for: error))
            return .match
        }
        let failure: Failure
        if isUsage(error) {
            failure = Failure(.badInput, "usage", MienCommand.message(for: error))
            Terminal.warn(MienCommand.fullMessage(for: error))
        } else {
            failure = Failure(error)
            Terminal.warn("mien: \(failure.message)")
        }
        if arguments.contains("--json") {
            JSON.print(["error": ["code": failure.code, "message": failure.message]])
        }
        return failure.outcome
    }

    /// Whether the argument parser rejected an argument.
    private static func isUsage(_ error: any Error) -> Bool {
        error is ValidationError || MienCommand.exitCode(for: error) == .validationFailure
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
            .noCameraLibrary:
            false
        }
    }
}

extension OTPTokenError {
    /// Whether the error is about the arguments, not about the token or the machine.
    fileprivate var isSlip: Bool {
        switch code {
        case .unknown, .exists, .full, .pin, .notMultiAuth, .faceInactive, .inputSpent: true
        case .secret, .restored, .exhausted, .notConfirmed, .otherDevice, .bindingUnavailable,
            .storage:
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
