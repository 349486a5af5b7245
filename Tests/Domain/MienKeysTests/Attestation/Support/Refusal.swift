import MienAttestation
import Testing

/// Returns the code of the error that `body` throws, or `nil` if it throws none. Any other error is
/// recorded as an issue.
func refusal(_ body: () throws -> Void) -> AttestationError.Code? {
    do {
        try body()
        return nil
    } catch let error as AttestationError { return error.code } catch {
        Issue.record(error)
        return nil
    }
}
