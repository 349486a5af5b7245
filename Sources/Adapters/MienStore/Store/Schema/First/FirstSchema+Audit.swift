extension FirstSchema {
    /// The audit log, which outlives what it tells about.
    static let audit = """
        CREATE TABLE audit (
          number BIGINT PRIMARY KEY, at BIGINT NOT NULL, event TEXT NOT NULL, actor TEXT NOT NULL,
          account_id TEXT NOT NULL, app_id TEXT NOT NULL, detail TEXT NOT NULL, hash {blob} NOT NULL);
        CREATE INDEX audit_by_account ON audit (account_id, number);
        CREATE INDEX audit_by_event ON audit (event, number);
        -- Few entries are administrators', and every sign-in writes one.
        CREATE INDEX audit_by_administrator ON audit (actor, number)
          WHERE substr(actor, 1, 4) = 'adm_';
        CREATE INDEX audit_by_act ON audit (actor, event, number) WHERE substr(actor, 1, 4) = 'adm_';

        -- Where the log begins after its oldest entries were removed.
        CREATE TABLE audit_anchor (
          id BIGINT PRIMARY KEY, number BIGINT NOT NULL, hash {blob} NOT NULL, mac {blob} NOT NULL,
          pruned_at BIGINT NOT NULL);

        -- Refusals that would fill the log are counted first.
        CREATE TABLE audit_counted (
          event TEXT NOT NULL, actor TEXT NOT NULL, account_id TEXT NOT NULL, app_id TEXT NOT NULL,
          detail TEXT NOT NULL, times BIGINT NOT NULL, first_at BIGINT NOT NULL,
          last_at BIGINT NOT NULL, PRIMARY KEY (event, actor, account_id, app_id, detail));
        """
}
