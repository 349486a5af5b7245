/// A step from one schema to the next.
struct Migration: Sendable {
    /// Begins with the step's number.
    let name: String
    /// Whether servers of the version before work beside it: it only adds tables, indexes, and columns
    /// that are nullable or have a default, or replaces an index, and changes no data that they read.
    /// Servers of several versions then run on one database during an upgrade. A step that removes or
    /// changes something is incompatible; it follows in a later version, once no server uses what it
    /// removes. See “Migrations” in docs/spec/storage.md.
    let isCompatible: Bool
    let statements: [String]

    /// - Parameter sql: Statements in portable SQL, each of which ends with a semicolon. A line that
    ///   begins with `--` is a comment; no other comment and no literal contains a semicolon.
    init(_ name: String, isCompatible: Bool = false, _ sql: String) {
        (self.name, self.isCompatible) = (name, isCompatible)
        let lines = sql.split(separator: "\n").filter {
            !$0.drop(while: { $0 == " " }).hasPrefix("--")
        }
        statements = lines.joined(separator: "\n").split(separator: ";").map {
            String($0.drop(while: \.isNewline))
        }
    }
}
