internal import Logging
package import MienAPI

/// An error of a part that knows no HTTP, with what clients may see of it.
package protocol ReportedError: Error {
    /// `nil` if clients may see nothing of this error.
    var report: ErrorReport? { get }
}

/// The problem that clients see, and the failure that the log shows.
package struct ErrorReport {
    let problem: Problem
    /// `nil` if the error is not a failure of the server.
    var failure: (message: Logger.Message, metadata: Logger.Metadata)?
}

extension Problem {
    /// A queue has no room.
    package static let busy = Problem(
        .unavailable, "Too many requests are waiting. Try again in a moment.")
}
