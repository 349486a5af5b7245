extension FirstSchema {
    /// Authenticators, and the codes that are sent or shown meanwhile.
    static let authenticators = """
        -- An empty app means all apps. The pack is that of a face, and empty for everything else.
        CREATE TABLE authenticator (
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          type TEXT NOT NULL, app_id TEXT NOT NULL, pack TEXT NOT NULL DEFAULT '',
          content_sealed {blob} NOT NULL, info TEXT NOT NULL, created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL);
        CREATE INDEX authenticator_by_account ON authenticator (account_id, type, app_id);
        CREATE INDEX authenticator_by_pack ON authenticator (type, pack);
        CREATE INDEX authenticator_by_face ON authenticator (app_id, type, pack, id);

        CREATE TABLE passkey (
          credential_hash {blob} PRIMARY KEY,
          authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE);
        CREATE INDEX passkey_by_account ON passkey (account_id);
        CREATE INDEX passkey_by_authenticator ON passkey (authenticator_id);

        CREATE TABLE device_key (
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, key_id TEXT NOT NULL,
          authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, device_hash {blob},
          PRIMARY KEY (app_id, key_id));
        CREATE INDEX device_key_by_account ON device_key (account_id, app_id);
        CREATE INDEX device_key_by_authenticator ON device_key (authenticator_id);

        CREATE TABLE challenge (
          token_hash {blob} PRIMARY KEY, purpose TEXT NOT NULL, bound_to TEXT NOT NULL,
          expires_at BIGINT NOT NULL);
        CREATE INDEX challenge_by_end ON challenge (expires_at);

        CREATE TABLE otp_registration (
          id TEXT PRIMARY KEY, code_hash {blob} NOT NULL,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, kind TEXT NOT NULL,
          digits BIGINT NOT NULL, made_with TEXT NOT NULL DEFAULT '', expires_at BIGINT NOT NULL);
        CREATE INDEX otp_registration_by_account ON otp_registration (account_id, app_id);
        CREATE INDEX otp_registration_by_end ON otp_registration (expires_at);

        CREATE TABLE otp_token (
          authenticator_id TEXT PRIMARY KEY REFERENCES authenticator (id) ON DELETE CASCADE,
          registration_id TEXT NOT NULL UNIQUE, position BIGINT NOT NULL, awaited BIGINT);

        -- A code for an unknown user has no account.
        CREATE TABLE one_time_code (
          id TEXT PRIMARY KEY, code_hash {blob} NOT NULL, attempts BIGINT NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, expires_at BIGINT NOT NULL);
        CREATE INDEX one_time_code_by_account ON one_time_code (account_id);
        CREATE INDEX one_time_code_by_end ON one_time_code (expires_at);

        CREATE TABLE approval (
          id TEXT PRIMARY KEY, code_hash {blob} NOT NULL UNIQUE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, run_id TEXT NOT NULL,
          content_sealed {blob} NOT NULL, decision TEXT NOT NULL DEFAULT '', authenticator_id TEXT,
          epoch BIGINT, expires_at BIGINT NOT NULL);
        CREATE INDEX approval_by_account ON approval (account_id);
        CREATE INDEX approval_by_app ON approval (app_id);
        CREATE INDEX approval_by_end ON approval (expires_at);
        """
}
