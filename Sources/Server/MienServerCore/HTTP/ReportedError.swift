package import Logging
package import MienAPI

/// An error of a part that knows no HTTP, with what clients may see of it.
package protocol ReportedError: Error {
    /// `nil` if clients may see nothing of this error.
    var report: ErrorReport? { get }
}

/// What clients see of an error, and what the log shows of it.
package struct ErrorReport {
    package let problem: Problem
    /// `nil` if the error is not a failure of the server.
    package var failure: (message: Logger.Message, metadata: Logger.Metadata)?

    package init(
        problem: Problem, failure: (message: Logger.Message, metadata: Logger.Metadata)? = nil
    ) {
        (self.problem, self.failure) = (problem, failure)
    }
}

extension Problem {
    /// A queue has no room.
    package static let busy = Problem(
        .unavailable, "Too many requests are waiting. Try again in a moment.")
}
