internal import Logging
internal import MienAPI
internal import MienMedia
internal import MienModels
internal import MienStore

// What clients see of the errors of engines and adapters.

extension StoreError: ReportedError {
    var report: ErrorReport? {
        if code == .stale {
            return ErrorReport(
                problem: Problem(
                    .conflict, "The resource changed in the meantime. Read it again."))
        }
        return ErrorReport(
            problem: Problem(code == .busy || code == .unwritable ? .unavailable : .serverError),
            failure: (
                "the store failed",
                ["store.code": "\(code.rawValue)", "store.reason": "\(reason)"]
            ))
    }
}

extension ImageError: ReportedError {
    var report: ErrorReport? {
        ErrorReport(
            problem: Problem(
                code == .tooManyBytes ? .payloadTooLarge : .imageNotAccepted, description))
    }
}

extension InferenceError: ReportedError {
    var report: ErrorReport? { code == .busy ? ErrorReport(problem: .busy) : nil }
}
