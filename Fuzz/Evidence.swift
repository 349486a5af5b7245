internal import MienCore
internal import MienIdentity

/// Reads any JSON as evidence of a verification.
///
/// Must hold: the result is an error, or a record that stays the same when written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let value = try? JSONText.parse(bytes), let record = try? EvidenceRecord(value) else {
        return 0
    }
    guard let again = try? EvidenceRecord(record.json) else {
        preconditionFailure("a written record cannot be read")
    }
    precondition(again == record)
    return 0
}
