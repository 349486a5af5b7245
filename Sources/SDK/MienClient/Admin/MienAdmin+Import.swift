public import MienAPI
public import MienCore

// MARK: Importing people

extension MienAdmin {
    /// Creates accounts for people of another product, all of a request or none. Repeating a
    /// request changes nothing.
    ///
    /// - Parameters:
    ///   - records: At most ``PeopleRecords/maxRecords`` people in
    ///     ``PeopleRecords/maxRequestBytes``; CSV begins with a header row.
    ///   - updates: Whether accounts that differ from the records are changed.
    ///   - isDryRun: Whether the records are checked only.
    ///   - otpApp: The app that one-time codes are for.
    /// - Throws: ``MienError`` whose ``MienError/fields`` name each line that is wrong, counted from
    ///   1, as `lines[12].email`.
    public func importUsers(
        _ records: [UInt8], _ format: PeopleRecords.Format, updating updates: Bool = false,
        isDryRun: Bool = false, otpApp: AppID? = nil
    ) async throws -> UserImportAnswer {
        var query: [(String, String)] = []
        if updates { query.append(("update", "true")) }
        if isDryRun { query.append(("dry_run", "true")) }
        if let otpApp { query.append(("otp_app", otpApp.text)) }
        return try await connection.json(
            .init(
                method: .post, path: ["v1", "users", "import"], query: query, bearer: credential,
                contentType: format.mediaType, body: records))
    }
}
