internal import Foundation
internal import MienCore
internal import SystemPostgres

/// Waits for PostgreSQL's answers, for a limited time. The timeouts of a session act within PostgreSQL,
/// which may itself be stopped, or wait for a disk that does not answer.
@safe struct PostgresWait {
    /// More than PostgreSQL's own timeouts, so that these are met first.
    static let margin = Duration.seconds(5)

    private let raw: OpaquePointer
    /// The longest time until the next result; `nil` waits as long as it takes.
    var longest: Duration?

    /// - Parameter raw: A connection that does not block.
    init(_ raw: OpaquePointer, longest: Duration?) {
        unsafe self.raw = raw
        self.longest = longest
    }

    /// Sends what libpq still holds, and returns the next result; `nil` at the end of an answer.
    ///
    /// - Throws: ``PostgresFailure``, after which the connection cannot be used, if there is none in time.
    func result() throws(PostgresFailure) -> OpaquePointer? {
        let deadline = longest.map { ContinuousClock.now + $0 }
        var isSent = false
        while true {
            if !isSent {
                switch unsafe PQflush(raw) {
                case 0: isSent = true
                case 1: break
                // libpq's result gives the reason, perhaps in a message that PostgreSQL sent
                // before.
                default: return unsafe PQgetResult(raw)
                }
            }
            if isSent, unsafe PQisBusy(raw) == 0 { return unsafe PQgetResult(raw) }
            try rest(isSending: !isSent, until: deadline)
            guard unsafe PQconsumeInput(raw) == 1 else { return unsafe PQgetResult(raw) }
        }
    }

    private func rest(isSending: Bool, until deadline: ContinuousClock.Instant?)
        throws(PostgresFailure)
    {
        var time: Int32 = -1
        if let deadline {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else {
                throw PostgresFailure(
                    state: "",
                    message: "no answer within \(longest?.components.seconds ?? 0) s",
                    constraint: "", isLost: true)
            }
            time = Int32(left.rounded(.up))
        }
        var socket = pollfd(
            fd: unsafe PQsocket(raw), events: Int16(isSending ? POLLIN | POLLOUT : POLLIN),
            revents: 0)
        // A signal or an error ends the wait; libpq finds out which.
        _ = unsafe poll(&socket, 1, time)
    }
}
