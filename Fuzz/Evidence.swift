internal import MienCore
internal import MienIdentity

/// Reads any JSON as evidence of a verification.
///
/// Must hold: the result is an error, or a record that stays the same when written and read again.
func fuzzEvidence(_ bytes: [UInt8]) {
    guard let value = try? JSONText.parse(bytes), let record = try? EvidenceRecord(value) else {
        return
    }
    guard let again = try? EvidenceRecord(record.json) else {
        preconditionFailure("a written record cannot be read")
    }
    precondition(again == record)
}
