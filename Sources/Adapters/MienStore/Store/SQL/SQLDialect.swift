/// A database's names for the types of the schema.
public struct SQLDialect: Sendable, Hashable {
    /// The type for bytes.
    public let blob: String
    /// The type for text that is compared byte by byte.
    public let text: String

    public init(blob: String, text: String) { (self.blob, self.text) = (blob, text) }

    public static let sqlite = SQLDialect(blob: "BLOB", text: "TEXT")

    /// Returns a statement of the schema in this dialect.
    func schema(_ statement: String) -> String {
        statement.replacing("{blob}", with: blob).replacing(" TEXT", with: " \(text)")
    }
}
