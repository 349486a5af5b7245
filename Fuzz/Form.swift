internal import MienAPI
internal import MienCore

/// Any text as a form, and as one value of it.
///
/// What must hold: an error, or fields that written and read again are the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    guard
        let text = String(
            validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    else { return 0 }
    if let value = PercentEncoding.decodeForm(text) {
        precondition(PercentEncoding.decodeForm(PercentEncoding.encode(value)) == value)
    }
    if let fields = try? FormFields(parsing: text) {
        precondition(fields.pairs.count <= FormFields.maxFields)
        guard let again = try? FormFields(parsing: fields.text) else {
            preconditionFailure("what was written cannot be read")
        }
        // A field without name and value is written as “=”, which is one again.
        precondition(again == fields)
    }
    return 0
}
