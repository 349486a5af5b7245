extension FirstSchema {
    /// The definitions of journeys, and their runs.
    static let journeys = """
        CREATE TABLE journey (
          id TEXT NOT NULL, version BIGINT NOT NULL, state TEXT NOT NULL, definition TEXT NOT NULL,
          created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (id, version));

        -- A run belongs to an account once its user has proved to have it.
        CREATE TABLE journey_run (
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL, journey_id TEXT NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, revision BIGINT NOT NULL,
          token_hash {blob} NOT NULL, used_token_hash {blob}, used_request_hash {blob},
          state_sealed {blob} NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX journey_run_by_account ON journey_run (account_id);
        CREATE INDEX journey_run_by_end ON journey_run (expires_at);
        """
}
