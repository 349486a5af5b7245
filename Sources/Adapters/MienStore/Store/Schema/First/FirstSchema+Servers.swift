extension FirstSchema {
    /// How servers that share the database work together.
    static let servers = """
        -- The columns of keys are NULL until the server has said how far it is.
        CREATE TABLE server (
          name TEXT PRIMARY KEY, address TEXT NOT NULL, host TEXT NOT NULL DEFAULT '',
          galleries BIGINT NOT NULL DEFAULT 0, key_stored BIGINT, key_active BIGINT,
          key_fault TEXT NOT NULL DEFAULT '', seen_at BIGINT NOT NULL);

        CREATE TABLE lease (
          name TEXT PRIMARY KEY, holder TEXT NOT NULL, fence BIGINT NOT NULL,
          expires_at BIGINT NOT NULL);

        CREATE TABLE rate (
          name TEXT NOT NULL, hash {blob} NOT NULL, full_at BIGINT NOT NULL,
          PRIMARY KEY (name, hash));
        CREATE INDEX rate_by_time ON rate (full_at);

        CREATE TABLE change_version (topic TEXT PRIMARY KEY, version BIGINT NOT NULL);

        -- Which key seals. Only servers that have the key of another version open the one in a row.
        CREATE TABLE master_key (
          version BIGINT PRIMARY KEY, name {blob} NOT NULL UNIQUE, state TEXT NOT NULL,
          key_sealed {blob}, sealed_by BIGINT, actor TEXT NOT NULL, changed_at BIGINT NOT NULL,
          passed_at BIGINT);
        """
}
