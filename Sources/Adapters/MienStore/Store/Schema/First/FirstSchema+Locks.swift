extension FirstSchema {
    /// The failures after which a method locks. Each device on which the method has succeeded counts
    /// its own, so that strangers cannot lock a person out there.
    static let locks = """
        CREATE TABLE lock_count (
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, method TEXT NOT NULL,
          app_id TEXT NOT NULL, total BIGINT NOT NULL, unknown_failures BIGINT NOT NULL,
          unknown_locked_until BIGINT, PRIMARY KEY (account_id, method, app_id));

        CREATE TABLE lock_device (
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, method TEXT NOT NULL,
          app_id TEXT NOT NULL,
          device_id TEXT NOT NULL REFERENCES known_device (id) ON DELETE CASCADE,
          failures BIGINT NOT NULL, locked_until BIGINT,
          PRIMARY KEY (account_id, method, app_id, device_id));
        CREATE INDEX lock_device_by_device ON lock_device (device_id);

        -- Who has locked an authenticator by hand.
        CREATE TABLE authenticator_hold (
          authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
          holder TEXT NOT NULL, PRIMARY KEY (authenticator_id, holder));
        """
}
