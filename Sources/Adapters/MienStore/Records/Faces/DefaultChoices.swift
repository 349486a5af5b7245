public import MienCore

/// Choices made once for an installation, because a default that is right for a new one would
/// surprise the people of an older one.
public struct DefaultChoiceTable {
    let connection: any SQLConnection

    /// The mode of the presentation check where the settings leave it to the server: `require`, or
    /// `observe` if the installation had users before it had the check.
    public func presentation() throws(StoreError) -> PresentationMode {
        let choices = try connection.rows(
            "SELECT choice FROM default_choice WHERE name = ?", .text("presentation")
        ).map { row throws(StoreError) in try row.text(0) }
        // An unreadable choice must not turn the check off.
        return choices.first.flatMap { PresentationMode(rawValue: $0) } ?? .require
    }
}
