internal import MienAPI
internal import MienCore

/// Reads any text as a form, and as one value of a form.
///
/// Must hold: the result is an error, or fields that stay the same when written and read again.
func fuzzForm(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    if let value = PercentEncoding.decodeForm(text) {
        precondition(PercentEncoding.decodeForm(PercentEncoding.encode(value)) == value)
    }
    if let fields = try? FormFields(parsing: text) {
        precondition(fields.pairs.count <= FormFields.maxFields)
        guard let again = try? FormFields(parsing: fields.text) else {
            preconditionFailure("the written form cannot be read")
        }
        // A field without a name and a value is written as “=”, which is read as such a field.
        precondition(again == fields)
    }
}
