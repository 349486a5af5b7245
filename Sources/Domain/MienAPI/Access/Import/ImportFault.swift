/// The reason why a person cannot be imported. Repeats nothing of the person.
public struct ImportFault: Error, Sendable, Hashable {
    /// The field; `nil` for the whole record.
    public let field: String?
    /// The description, which continues the name of the field: “must be true or false”.
    public let message: String

    public init(_ field: String?, _ message: String) {
        (self.field, self.message) = (field, message)
    }

    public static let tooLong = ImportFault(
        nil, "has more than \(PeopleRecords.maxBytes) bytes, or a quote that is not closed")
}
