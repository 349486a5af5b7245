public import MienCore

/// A registration code that was issued for a device. The code itself is stored as a hash.
public struct OTPRegistrationRecord: Sendable, Hashable {
    public let id: String
    public let account: UserID
    public let app: AppID
    /// The kind: `totp`, `hotp`, or `cap`.
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

    /// Stores the only valid code for this user and app, and removes an older one.
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

    /// Uses the code up, even if it has expired.
    ///
    /// - Returns: the registration; `nil` if no such code exists or it has expired.
    public func take(_ id: String, hash: [UInt8], at now: Instant) throws(StoreError)
        -> OTPRegistrationRecord?
    {
        let row = try connection.row(
            "SELECT \(Self.columns) FROM otp_registration WHERE id = ? AND code_hash = ?",
            .text(id), .blob(hash))
        guard let row else { return nil }
        guard try connection.execute("DELETE FROM otp_registration WHERE id = ?", .text(id)) == 1
        else { return nil }
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

/// The position of each OTP token. Its secret is the content of its authenticator.
public struct OTPTokenTable {
    let connection: any SQLConnection

    /// - Parameter position: The first counter or time step whose code is valid.
    public func insert(
        _ authenticator: AuthenticatorID, registration: String, position: Int64 = 0
    ) throws(StoreError) {
        try connection.execute(
            "INSERT INTO otp_token (authenticator_id, registration_id, position) VALUES (?, ?, ?)",
            .id(authenticator), .text(registration), .integer(position))
    }

    /// Returns the first counter or time step whose code is still valid; `nil` if the OTP token
    /// does not exist.
    public func position(of authenticator: AuthenticatorID) throws(StoreError) -> Int64? {
        try counters(of: authenticator)?.position
    }

    /// Returns an OTP token's position, and the counter whose code resynchronizes it, if a code
    /// from far ahead came.
    public func counters(of authenticator: AuthenticatorID) throws(StoreError) -> (
        position: Int64, awaited: Int64?
    )? {
        let row = try connection.row(
            "SELECT position, awaited FROM otp_token WHERE authenticator_id = ?",
            .id(authenticator))
        guard let row else { return nil }
        return (try row.integer(0), try row.optionalInteger(1))
    }

    /// Notes that the code at `counter` resynchronizes an OTP token. It is not spent by this.
    public func expect(_ counter: Int64, of authenticator: AuthenticatorID) throws(StoreError) {
        try connection.execute(
            "UPDATE otp_token SET awaited = ? WHERE authenticator_id = ?", .integer(counter),
            .id(authenticator))
    }

    /// Returns the OTP token created by a registration.
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

    /// Returns the OTP token created by a registration, and its owner.
    public func owner(ofRegistration registration: String) throws(StoreError) -> (
        token: AuthenticatorID, account: UserID
    )? {
        let row = try connection.row(
            "SELECT t.authenticator_id, a.account_id FROM otp_token t JOIN authenticator a ON a.id = t.authenticator_id WHERE t.registration_id = ?",
            .text(registration))
        guard let row else { return nil }
        return (try row.identifier(0), try row.identifier(1))
    }

    /// Returns the owner of an OTP token, and the app that it is for.
    public func owner(of authenticator: AuthenticatorID) throws(StoreError) -> (
        account: UserID, app: AppID
    )? {
        let row = try connection.row(
            "SELECT a.account_id, a.app_id FROM otp_token t JOIN authenticator a ON a.id = t.authenticator_id WHERE t.authenticator_id = ?",
            .id(authenticator))
        guard let row else { return nil }
        return (try row.identifier(0), try row.identifier(1))
    }

    /// Spends the code at `position` and all earlier codes.
    ///
    /// - Returns: whether the code was still valid. Of two requests with the same code, one gets
    ///   `true`.
    public func advance(_ authenticator: AuthenticatorID, past position: Int64) throws(StoreError)
        -> Bool
    {
        guard position < .max else { return false }
        return try connection.execute(
            "UPDATE otp_token SET position = ?, awaited = NULL WHERE authenticator_id = ? AND position <= ?",
            .integer(position + 1), .id(authenticator), .integer(position)
        ) == 1
    }
}
