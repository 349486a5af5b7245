extension FirstSchema {
    /// The ways back into an account.
    static let recovery = """
        CREATE TABLE recovery_code (
          authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
          code_hash {blob} NOT NULL, PRIMARY KEY (authenticator_id, code_hash));

        CREATE TABLE recovery (
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, methods TEXT NOT NULL,
          requested_at BIGINT NOT NULL, effective_at BIGINT NOT NULL, ended_at BIGINT,
          how TEXT NOT NULL);
        CREATE INDEX recovery_by_account ON recovery (account_id);
        CREATE INDEX recovery_by_effect ON recovery (effective_at);
        """
}
