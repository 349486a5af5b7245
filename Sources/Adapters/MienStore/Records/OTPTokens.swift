public import MienCore

/// A registration code that was given out: what it is for. The code itself is stored as a hash.
public struct OTPRegistrationRecord: Sendable, Hashable {
    public let id: String
    public let account: UserID
    public let app: AppID
    /// `totp` or `hotp`.
    public let kind: String
    public let digits: Int
    public let expiresAt: Instant
    /// The authenticators of the sign-in that asked for it; empty for an administrator's.
    public let madeWith: [AuthenticatorID]

    public init(
        id: String, account: UserID, app: AppID, kind: String, digits: Int, expiresAt: Instant,
        madeWith: [AuthenticatorID] = []
    ) {
        (self.id, self.account, self.app, self.kind, self.digits, self.expiresAt) = (
            id, account, app, kind, digits, expiresAt
        )
        self.madeWith = madeWith
    }
}

public struct OTPRegistrationTable {
    let connection: any SQLConnection
    private static let columns = "id, account_id, app_id, kind, digits, expires_at, made_with"

    /// The one code that is good for this user and app: an older one is not any more.
    public func put(_ record: OTPRegistrationRecord, hash: [UInt8]) throws(StoreError) {
        try connection.execute(
            "DELETE FROM otp_registration WHERE account_id = ? AND app_id = ?", .id(record.account),
            .id(record.app))
        try connection.execute(
            "INSERT INTO otp_registration (\(Self.columns), code_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .text(record.id), .id(record.account),
            .id(record.app), .text(record.kind), .integer(Int64(record.digits)),
            .time(record.expiresAt), .text(record.madeWith.map(\.text).joined(separator: " ")),
            .blob(hash))
    }

    /// Uses it up, whether it is in time or not.
    ///
    /// - Returns: what it was for; `nil` when there is none like this, or it has expired.
    public func take(_ id: String, hash: [UInt8], at now: Instant) throws(StoreError)
        -> OTPRegistrationRecord?
    {
        let row = try connection.row(
            "SELECT \(Self.columns) FROM otp_registration WHERE id = ? AND code_hash = ?",
            .text(id), .blob(hash))
        guard let row else { return nil }
        try connection.execute("DELETE FROM otp_registration WHERE id = ?", .text(id))
        let record = OTPRegistrationRecord(
            id: try row.text(0), account: try row.identifier(1), app: try row.identifier(2),
            kind: try row.text(3), digits: Int(try row.integer(4)),
            expiresAt: try row.instant(5),
            madeWith: try row.text(6).split(separator: " ").compactMap {
                AuthenticatorID(String($0))
            })
        return now < record.expiresAt ? record : nil
    }

    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM otp_registration WHERE id IN (SELECT id FROM otp_registration WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}

/// How far each token has been used. Its secret is the content of its authenticator.
public struct OTPTokenTable {
    let connection: any SQLConnection

    public func insert(_ authenticator: AuthenticatorID, registration: String) throws(StoreError) {
        try connection.execute(
            "INSERT INTO otp_token (authenticator_id, registration_id, position) VALUES (?, ?, 0)",
            .id(authenticator), .text(registration))
    }

    /// The first counter or time step whose code is still good; `nil` when there is no such token.
    public func position(of authenticator: AuthenticatorID) throws(StoreError) -> Int64? {
        guard
            let row = try connection.row(
                "SELECT position FROM otp_token WHERE authenticator_id = ?", .id(authenticator))
        else { return nil }
        return try row.integer(0)
    }

    /// The token that came of a registration.
    public func find(registration: String) throws(StoreError) -> AuthenticatorID? {
        guard
            let row = try connection.row(
                "SELECT authenticator_id FROM otp_token WHERE registration_id = ?",
                .text(registration))
        else {
            return nil
        }
        return try row.identifier(0)
    }

    /// The same, with whose it is.
    public func owner(ofRegistration registration: String) throws(StoreError) -> (
        token: AuthenticatorID, account: UserID
    )? {
        let row = try connection.row(
            "SELECT t.authenticator_id, a.account_id FROM otp_token t JOIN authenticator a ON a.id = t.authenticator_id WHERE t.registration_id = ?",
            .text(registration))
        guard let row else { return nil }
        return (try row.identifier(0), try row.identifier(1))
    }

    /// Spends the code at `place` and all before it.
    ///
    /// - Returns: whether it was still good: of two requests with one code, one is told so.
    public func advance(_ authenticator: AuthenticatorID, past place: Int64) throws(StoreError)
        -> Bool
    {
        guard place < .max else { return false }
        return try connection.execute(
            "UPDATE otp_token SET position = ? WHERE authenticator_id = ? AND position <= ?",
            .integer(place + 1), .id(authenticator), .integer(place)
        ) == 1
    }
}
