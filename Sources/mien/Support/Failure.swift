import ArgumentParser
import Foundation
import MienFace
import MienImage
import MienInference
import MienModels
import MienVault

/// Something went wrong that a person or a script has to hear of: one sentence that says what, where, what is allowed and what to do.
struct Failure: Error {
    let outcome: Outcome
    /// A stable word for scripts.
    let code: String
    let message: String

    init(_ outcome: Outcome, _ code: String, _ message: String) { (self.outcome, self.code, self.message) = (outcome, code, message) }
}

extension Failure {
    /// Maps every error of the parts below to an exit code, in this one place.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ImageFileError: self.init(.badInput, error.code, error.description)
        case let error as ImageError: self.init(.badInput, error.code.rawValue, error.description)
        case let error as PersonNameError: self.init(.badInput, error.rawValue, "the name cannot be used: \(error)")
        case let error as PackError: self.init(.notSetUp, error.code.rawValue, error.reason)
        case let error as InferenceError: self.init(.notSetUp, error.code.rawValue, error.reason)
        case let error as FaceModelError: self.init(.notSetUp, "face.model", error.description)
        case let error as FaceStoreError: self.init(.notSetUp, error.code, error.description)
        case let error as CocoaError:
            let path = error.filePath.map { "\($0): " } ?? ""
            self.init(.badInput, "file.\(error.code.rawValue)", path + error.localizedDescription)
        default: self.init(.badInput, "error", "\(error)")
        }
    }

    /// Prints what is to be said about `error` and returns the exit code.
    ///
    /// Help goes to standard output. Errors go to standard error; with `--json` also to standard output, as an object.
    static func report(_ error: any Error, arguments: [String]) -> Outcome {
        if let outcome = error as? Outcome { return outcome }
        if error is CleanExit || Mien.exitCode(for: error) == .success {
            print(Mien.fullMessage(for: error))
            return .match
        }
        let failure: Failure
        if isUsage(error) {
            failure = Failure(.badInput, "usage", Mien.message(for: error))
            Terminal.warn(Mien.fullMessage(for: error))
        } else {
            failure = Failure(error)
            Terminal.warn("mien: \(failure.message)")
        }
        if arguments.contains("--json") { JSON.print(["error": ["code": failure.code, "message": failure.message]]) }
        return failure.outcome
    }

    /// What the argument parser says, about words it cannot place or a value that is none.
    private static func isUsage(_ error: any Error) -> Bool {
        error is ValidationError || Mien.exitCode(for: error) == .validationFailure
    }
}
