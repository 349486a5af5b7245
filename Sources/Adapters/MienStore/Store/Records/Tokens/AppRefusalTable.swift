public import MienCore

/// A request of an app that was refused, and how often.
public struct AppRefusalRecord: Sendable, Hashable {
    /// The route, such as `/oauth2/token`.
    public let route: String
    /// The code, such as `invalid_grant`.
    public let error: String
    /// The reason. Repeats nothing of the request.
    public let description: String
    public var count: Int
    public let firstAt: Instant
    public var lastAt: Instant

    public init(
        route: String, error: String, description: String, count: Int, firstAt: Instant,
        lastAt: Instant
    ) {
        (self.route, self.error, self.description) = (route, error, description)
        (self.count, self.firstAt, self.lastAt) = (count, firstAt, lastAt)
    }
}

/// Why requests of apps were refused: for each app, the reasons of the latest time.
public struct AppRefusalTable {
    /// The number of reasons that are kept for an app.
    public static let maxKept = 30

    let connection: any SQLConnection

    /// Counts refusals of one reason. Drops the reason that has not been met for the longest time if
    /// there are too many. Does nothing for an app that no longer exists.
    public func add(_ refusal: AppRefusalRecord, of app: AppID) throws(StoreError) {
        let known = try connection.execute(
            "UPDATE app_refusal SET count = count + ?, last_at = ? WHERE app_id = ? AND route = ? AND error = ? AND description = ?",
            .integer(Int64(refusal.count)), .time(refusal.lastAt), .id(app), .text(refusal.route),
            .text(refusal.error), .text(refusal.description))
        guard known == 0, try connection.row("SELECT 1 FROM app WHERE id = ?", .id(app)) != nil
        else { return }
        try connection.execute(
            "INSERT INTO app_refusal (app_id, route, error, description, count, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .id(app), .text(refusal.route), .text(refusal.error), .text(refusal.description),
            .integer(Int64(refusal.count)), .time(refusal.firstAt), .time(refusal.lastAt))
        for old in try all(of: app).dropFirst(Self.maxKept) {
            try connection.execute(
                "DELETE FROM app_refusal WHERE app_id = ? AND route = ? AND error = ? AND description = ?",
                .id(app), .text(old.route), .text(old.error), .text(old.description))
        }
    }

    /// Returns the reasons, the latest first.
    public func all(of app: AppID) throws(StoreError) -> [AppRefusalRecord] {
        try connection.rows(
            "SELECT route, error, description, count, first_at, last_at FROM app_refusal WHERE app_id = ? ORDER BY last_at DESC, first_at DESC, route, error, description",
            .id(app)
        ).map { row throws(StoreError) in
            AppRefusalRecord(
                route: try row.text(0), error: try row.text(1), description: try row.text(2),
                count: Int(try row.integer(3)), firstAt: try row.instant(4),
                lastAt: try row.instant(5))
        }
    }
}
