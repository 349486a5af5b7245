extension FirstSchema {
    /// Apps, the people who sign in to them, and what is known of each person.
    static let accounts = """
        CREATE TABLE app (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, party TEXT NOT NULL,
          secret_hash {blob}, settings TEXT NOT NULL, hears_logouts BIGINT NOT NULL DEFAULT 0,
          registration_token_id TEXT, registration_hash {blob},
          created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL);
        CREATE INDEX app_by_time ON app (created_at, id);

        CREATE TABLE registration_token (
          id TEXT PRIMARY KEY, token_hash {blob} NOT NULL, name TEXT NOT NULL,
          uses BIGINT NOT NULL, used BIGINT NOT NULL, requires_pkce BIGINT NOT NULL,
          created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, revoked_at BIGINT);
        CREATE INDEX registration_token_by_time ON registration_token (created_at, id);

        CREATE TABLE app_refusal (
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, route TEXT NOT NULL,
          error TEXT NOT NULL, description TEXT NOT NULL, count BIGINT NOT NULL,
          first_at BIGINT NOT NULL, last_at BIGINT NOT NULL,
          PRIMARY KEY (app_id, route, error, description));

        -- A pending account, a sign-up, has an end.
        CREATE TABLE account (
          id TEXT PRIMARY KEY, state TEXT NOT NULL, is_test BIGINT NOT NULL DEFAULT 0,
          epoch BIGINT NOT NULL DEFAULT 0, key_sealed {blob} NOT NULL, profile_sealed {blob} NOT NULL,
          created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, expires_at BIGINT);
        CREATE INDEX account_by_time ON account (created_at, id);
        CREATE INDEX account_by_end ON account (expires_at);

        -- A name is unique within its kind. The second hash, which is the same for all kinds, keeps
        -- an external ID from being another account's user name or address.
        CREATE TABLE account_name (
          kind TEXT NOT NULL, name_hash {blob} NOT NULL, identifier_hash {blob} NOT NULL,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          PRIMARY KEY (kind, name_hash));
        CREATE INDEX account_name_by_account ON account_name (account_id);
        CREATE INDEX account_name_by_identifier ON account_name (identifier_hash);

        CREATE TABLE account_group (
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, name TEXT NOT NULL,
          created_at BIGINT NOT NULL, PRIMARY KEY (account_id, name));
        CREATE INDEX account_group_by_name ON account_group (name, account_id);

        CREATE TABLE known_device (
          token_hash {blob} PRIMARY KEY, id TEXT NOT NULL,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, app_id TEXT NOT NULL,
          name_sealed {blob}, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL);
        CREATE UNIQUE INDEX known_device_by_id ON known_device (id);
        CREATE INDEX known_device_by_account ON known_device (account_id);

        CREATE TABLE consent (
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL, purpose TEXT NOT NULL, text_version TEXT NOT NULL,
          given_at BIGINT NOT NULL, withdrawn_at BIGINT);
        CREATE INDEX consent_by_account ON consent (account_id, app_id, purpose);

        CREATE TABLE app_permission (
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, scope TEXT NOT NULL,
          given_at BIGINT NOT NULL, PRIMARY KEY (account_id, app_id));
        CREATE INDEX app_permission_by_app ON app_permission (app_id);

        CREATE TABLE mailed_link (
          code_hash {blob} PRIMARY KEY, purpose TEXT NOT NULL, subject TEXT NOT NULL,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, ended_at BIGINT);
        CREATE INDEX mailed_link_by_subject ON mailed_link (subject);
        CREATE INDEX mailed_link_by_account ON mailed_link (account_id);
        CREATE INDEX mailed_link_by_end ON mailed_link (expires_at);
        """
}
