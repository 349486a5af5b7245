extension FirstSchema {
    /// The administrators, and how they sign in.
    static let administrators = """
        -- The name to sign in with is set with the first method.
        CREATE TABLE admin (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, login TEXT,
          token_hash {blob} NOT NULL, created_at BIGINT NOT NULL);
        CREATE UNIQUE INDEX admin_by_login ON admin (login);
        CREATE INDEX admin_by_time ON admin (created_at, id);

        CREATE TABLE admin_method (
          id TEXT PRIMARY KEY, admin_id TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE,
          kind TEXT NOT NULL, credential_hash {blob}, name TEXT NOT NULL,
          content_sealed {blob} NOT NULL, last_step BIGINT, created_at BIGINT NOT NULL,
          used_at BIGINT);
        CREATE UNIQUE INDEX admin_method_by_credential ON admin_method (credential_hash);
        CREATE INDEX admin_method_by_admin ON admin_method (admin_id);

        CREATE TABLE admin_session (
          hash {blob} PRIMARY KEY, admin_id TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE,
          method TEXT NOT NULL, signed_in_at BIGINT NOT NULL, used_at BIGINT NOT NULL);
        CREATE INDEX admin_session_by_admin ON admin_session (admin_id);

        CREATE TABLE admin_lock (
          admin_id TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE, method TEXT NOT NULL,
          browser {blob} NOT NULL, total BIGINT NOT NULL, failures BIGINT NOT NULL,
          locked_until BIGINT, used_at BIGINT NOT NULL, PRIMARY KEY (admin_id, method, browser));

        -- The subject of an invitation does not exist yet.
        CREATE TABLE admin_offer (
          id TEXT PRIMARY KEY, kind TEXT NOT NULL, code_hash {blob} NOT NULL UNIQUE,
          subject TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, author TEXT NOT NULL,
          ends_credential BIGINT NOT NULL DEFAULT 0, secret_sealed {blob},
          created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX admin_offer_by_subject ON admin_offer (subject);
        """
}
