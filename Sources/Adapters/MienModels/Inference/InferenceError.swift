public import MienCore

/// A failure of the inference engine. Branch on ``code``; show ``reason`` to an operator.
public struct InferenceError: CodedError {
    /// Stable codes: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The OpenVINO library or its CPU plug-in cannot be used on this machine.
        case noRuntime = "inference.no-runtime"
        /// The file is missing, damaged, or in a format that OpenVINO does not support.
        case unreadableModel = "inference.unreadable-model"
        /// The model was read, but this CPU cannot run it with the given options.
        case uncompilableModel = "inference.uncompilable-model"
        /// The model's inputs, outputs, or element types are not supported by the engine.
        case unsuitableModel = "inference.unsuitable-model"
        /// A run failed.
        case failed = "inference.failed"
        /// The queue is full. Try again later.
        case busy = "inference.busy"
        /// The pool was shut down.
        case stopped = "inference.stopped"
    }

    public let code: Code
    /// The error and the file it concerns. Contains no personal data.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
