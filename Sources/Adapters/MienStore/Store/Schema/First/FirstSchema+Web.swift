extension FirstSchema {
    /// Records of what browsers have begun, and the look of pages.
    static let web = """
        CREATE TABLE web_record (
          kind TEXT NOT NULL, hash {blob} NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT REFERENCES app (id) ON DELETE CASCADE, content_sealed {blob} NOT NULL,
          revision BIGINT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (kind, hash));
        CREATE INDEX web_record_by_account ON web_record (account_id);
        CREATE INDEX web_record_by_app ON web_record (app_id);
        CREATE INDEX web_record_by_end ON web_record (expires_at);

        CREATE TABLE default_choice (name TEXT PRIMARY KEY, choice TEXT NOT NULL);
        """
}
