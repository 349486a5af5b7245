/// `POST /v1/users/import`: what an import did, or, for a dry run, would do.
public struct UserImportAnswer: Sendable, Hashable, Codable {
    /// People who have a new account.
    public var created: Int
    /// People whose account was changed, because the request allowed that.
    public var changed: Int
    /// People whose account is as the file says.
    public var unchanged: Int
    /// People whose account differs from the file and was left as it is.
    public var different: Int
    /// How often each field was changed or differs.
    public var fields: [String: Int]

    public init(
        created: Int = 0, changed: Int = 0, unchanged: Int = 0, different: Int = 0,
        fields: [String: Int] = [:]
    ) {
        (self.created, self.changed, self.unchanged, self.different) = (
            created, changed, unchanged, different
        )
        self.fields = fields
    }

    public static func += (sum: inout UserImportAnswer, part: UserImportAnswer) {
        sum.created += part.created
        sum.changed += part.changed
        sum.unchanged += part.unchanged
        sum.different += part.different
        sum.fields.merge(part.fields, uniquingKeysWith: +)
    }
}
