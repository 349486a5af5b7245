extension FirstSchema {
    /// Sign-ins, the codes that become one, and the keys that sign their tokens.
    static let tokens = """
        -- The activity is NULL until there is one besides refreshing. The app is NULL for the sign-in
        -- of a browser itself, the browser for one that no browser led to.
        CREATE TABLE token_grant (
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT REFERENCES app (id) ON DELETE CASCADE, browser_mark {blob},
          organization_id TEXT NOT NULL DEFAULT '', authenticator_id TEXT NOT NULL,
          nonce {blob} NOT NULL, scope TEXT NOT NULL, resources TEXT NOT NULL,
          key_thumbprint TEXT NOT NULL, methods TEXT NOT NULL, signed_in_at BIGINT NOT NULL,
          proofs TEXT NOT NULL DEFAULT '[]', generation BIGINT NOT NULL, users_mark {blob},
          created_at BIGINT NOT NULL, used_at BIGINT NOT NULL, active_at BIGINT, idle_ms BIGINT,
          expires_at BIGINT NOT NULL, revoked_at BIGINT, claims_sealed {blob});
        CREATE INDEX token_grant_by_account ON token_grant (account_id, app_id);
        CREATE INDEX token_grant_by_authenticator ON token_grant (authenticator_id);
        CREATE INDEX token_grant_by_browser ON token_grant (browser_mark)
          WHERE browser_mark IS NOT NULL;
        CREATE INDEX token_grant_by_end ON token_grant (expires_at);
        CREATE INDEX token_grant_by_organization ON token_grant (organization_id, account_id)
          WHERE organization_id <> '';
        CREATE INDEX token_grant_by_time ON token_grant (account_id, created_at, id)
          WHERE revoked_at IS NULL;

        CREATE TABLE grant_authenticator (
          grant_id TEXT NOT NULL REFERENCES token_grant (id) ON DELETE CASCADE,
          authenticator_id TEXT NOT NULL, PRIMARY KEY (grant_id, authenticator_id));
        CREATE INDEX grant_authenticator_by_authenticator ON grant_authenticator (authenticator_id);

        CREATE TABLE authorization_code (
          code_hash {blob} PRIMARY KEY, app_id TEXT REFERENCES app (id) ON DELETE CASCADE,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, content_sealed {blob} NOT NULL,
          grant_id TEXT NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX authorization_code_by_app ON authorization_code (app_id);
        CREATE INDEX authorization_code_by_account ON authorization_code (account_id, app_id);
        CREATE INDEX authorization_code_by_end ON authorization_code (expires_at);

        -- What is accepted once.
        CREATE TABLE spent (
          kind TEXT NOT NULL, hash {blob} NOT NULL, expires_at BIGINT NOT NULL,
          PRIMARY KEY (kind, hash));
        CREATE INDEX spent_by_end ON spent (expires_at);

        CREATE TABLE signing_key (
          id TEXT PRIMARY KEY, algorithm TEXT NOT NULL, key_sealed {blob} NOT NULL,
          public_key {blob} NOT NULL, created_at BIGINT NOT NULL, retires_at BIGINT NOT NULL,
          expires_at BIGINT NOT NULL);
        """
}
