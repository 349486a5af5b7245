extension FirstSchema {
    /// Mail and webhooks that wait for delivery.
    static let outbox = """
        -- No foreign key for the account, because its deletion is told, too.
        CREATE TABLE outbox (
          id TEXT PRIMARY KEY, kind TEXT NOT NULL, app_id TEXT REFERENCES app (id) ON DELETE CASCADE,
          account_id TEXT, content_sealed {blob} NOT NULL, created_at BIGINT NOT NULL,
          failures BIGINT NOT NULL, claims BIGINT NOT NULL, next_at BIGINT NOT NULL,
          leased_until BIGINT NOT NULL);
        CREATE INDEX outbox_by_time ON outbox (kind, next_at);
        CREATE INDEX outbox_by_creation ON outbox (kind, created_at);
        CREATE INDEX outbox_by_app ON outbox (app_id);
        CREATE INDEX outbox_by_account ON outbox (account_id);
        """
}
