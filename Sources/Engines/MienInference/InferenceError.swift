public import MienCore

/// The inference engine could not do what was asked. Branch on ``code``; show ``reason`` to an
/// operator.
public struct InferenceError: CodedError {
    /// Stable words: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The OpenVINO library or its CPU plug-in cannot be used on this machine.
        case noRuntime = "inference.no-runtime"
        /// The file is missing, damaged, or of a kind OpenVINO does not read.
        case unreadableModel = "inference.unreadable-model"
        /// The model was read, but this CPU cannot run it with the options given.
        case uncompilableModel = "inference.uncompilable-model"
        /// The model has other inputs, outputs or element types than the engine takes.
        case unsuitableModel = "inference.unsuitable-model"
        /// A run failed.
        case failed = "inference.failed"
        /// As many jobs wait as may wait. Try again later.
        case busy = "inference.busy"
        /// The pool was shut down.
        case stopped = "inference.stopped"
    }

    public let code: Code
    /// What was wrong, with the file it concerns. Holds no personal data.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
