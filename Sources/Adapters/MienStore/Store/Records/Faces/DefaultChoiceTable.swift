public import MienAPI
public import MienCore

/// The values that hold where nothing else is set. Some choices were made once for an installation, because a
/// default that is right for a new one would surprise the people of an older one.
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

    /// How pages look where an app does not say.
    public func pages() throws(StoreError) -> PageSettings {
        let stored = try connection.row(
            "SELECT choice FROM default_choice WHERE name = ?", .text("pages"))
        return try stored.map { row throws(StoreError) in
            try JSONColumn.value(PageSettings.self, row.text(0).utf8)
        } ?? PageSettings()
    }

    public func setPages(_ settings: PageSettings) throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.pages)
        try connection.execute(
            """
            INSERT INTO default_choice (name, choice) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET choice = excluded.choice
            """, .text("pages"), .text(JSONColumn.text(settings)))
    }
}
