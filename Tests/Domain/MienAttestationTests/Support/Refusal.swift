import MienAttestation
import Testing

/// The code of the error that `body` throws; `nil` when it throws none. Any other error is an
/// issue.
func refusal(_ body: () throws -> Void) -> AttestationError.Code? {
    do {
        try body()
        return nil
    } catch let error as AttestationError { return error.code } catch {
        Issue.record(error)
        return nil
    }
}
