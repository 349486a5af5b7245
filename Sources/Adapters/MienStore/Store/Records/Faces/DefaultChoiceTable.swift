public import MienAPI

/// The operator's choices, which hold where an app does not say.
public struct DefaultChoiceTable {
    let connection: any SQLConnection

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
