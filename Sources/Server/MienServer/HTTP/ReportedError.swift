internal import Logging
internal import MienAPI

/// An error of a part that knows no HTTP, with what clients may see of it.
protocol ReportedError: Error {
    /// `nil` if clients may see nothing of this error.
    var report: ErrorReport? { get }
}

/// What clients see of an error, and what the log shows of it.
struct ErrorReport {
    let problem: Problem
    /// `nil` if the error is not a failure of the server.
    var failure: (message: Logger.Message, metadata: Logger.Metadata)?
}

extension Problem {
    /// A queue has no room.
    static let busy = Problem(
        .unavailable, "Too many requests are waiting. Try again in a moment.")
}
