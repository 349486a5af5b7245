extension FirstSchema {
    /// Verified identities, the work on them, and the people whom the operator knows.
    static let identities = """
        CREATE TABLE identity (
          account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE, state TEXT NOT NULL,
          required TEXT NOT NULL, revision BIGINT NOT NULL, updated_at BIGINT NOT NULL);

        -- The key is destroyed when the content expires, and the result stays.
        CREATE TABLE identity_attempt (
          id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL, kind TEXT NOT NULL, begun_at BIGINT NOT NULL,
          content_expires_at BIGINT NOT NULL, result TEXT NOT NULL, concluded_at BIGINT,
          key_sealed {blob}, content_sealed {blob});
        CREATE INDEX identity_attempt_by_account ON identity_attempt (account_id, begun_at);
        CREATE INDEX identity_attempt_by_end ON identity_attempt (content_expires_at);
        CREATE INDEX identity_attempt_by_result ON identity_attempt (concluded_at, begun_at);

        CREATE TABLE identity_image (
          attempt_id TEXT NOT NULL REFERENCES identity_attempt (id) ON DELETE CASCADE,
          role TEXT NOT NULL, sha256 {blob} NOT NULL, content_sealed {blob},
          PRIMARY KEY (attempt_id, role));

        CREATE TABLE identity_upload (
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, role TEXT NOT NULL,
          content_sealed {blob} NOT NULL, expires_at BIGINT NOT NULL,
          PRIMARY KEY (account_id, app_id, role));
        CREATE INDEX identity_upload_by_time ON identity_upload (expires_at);

        -- Apps take turns.
        CREATE TABLE identity_job (
          id TEXT PRIMARY KEY, subject TEXT NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, app_id TEXT NOT NULL DEFAULT '',
          queued_at BIGINT NOT NULL, starts BIGINT NOT NULL, failures BIGINT NOT NULL,
          next_at BIGINT NOT NULL, leased_until BIGINT NOT NULL DEFAULT 0);
        CREATE INDEX identity_job_by_account ON identity_job (account_id);
        CREATE INDEX identity_job_by_time ON identity_job (next_at, queued_at);
        CREATE INDEX identity_job_by_app ON identity_job (app_id, next_at, queued_at);

        -- The origin and the bytes tell who uses up room.
        CREATE TABLE verification_session (
          id TEXT PRIMARY KEY, token_hash {blob} NOT NULL,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, owner TEXT NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, run_id TEXT,
          origin_hash {blob}, stored_bytes BIGINT NOT NULL DEFAULT 0, revision BIGINT NOT NULL,
          state TEXT NOT NULL, status TEXT NOT NULL, result TEXT NOT NULL,
          created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, content_expires_at BIGINT NOT NULL,
          record_expires_at BIGINT NOT NULL DEFAULT 0, key_sealed {blob}, content_sealed {blob});
        CREATE INDEX verification_session_by_app ON verification_session (app_id, status);
        CREATE INDEX verification_session_by_account ON verification_session (account_id);
        CREATE INDEX verification_session_by_owner
          ON verification_session (owner, status, app_id, origin_hash, stored_bytes);
        CREATE INDEX verification_session_by_end ON verification_session (status, expires_at);
        CREATE INDEX verification_session_by_retention ON verification_session (content_expires_at);
        CREATE INDEX verification_session_by_record ON verification_session (record_expires_at);

        CREATE TABLE verification_image (
          session_id TEXT NOT NULL REFERENCES verification_session (id) ON DELETE CASCADE,
          role TEXT NOT NULL, sha256 {blob} NOT NULL, content_sealed {blob},
          PRIMARY KEY (session_id, role));

        CREATE TABLE review_case (
          id TEXT PRIMARY KEY,
          attempt_id TEXT NOT NULL UNIQUE REFERENCES identity_attempt (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, app_id TEXT NOT NULL,
          content TEXT NOT NULL, opened_at BIGINT NOT NULL, closed_at BIGINT);
        CREATE INDEX review_case_by_account ON review_case (account_id);
        CREATE INDEX review_case_by_time ON review_case (closed_at, opened_at, id);

        -- The people of the registry are no users, so no account owns them. A number takes less room
        -- in the index of keys than a hash.
        CREATE TABLE registry_person (
          number INTEGER PRIMARY KEY, id_hash {blob} NOT NULL UNIQUE, text_hashes {blob} NOT NULL,
          content_sealed {blob} NOT NULL, updated_at BIGINT NOT NULL);
        CREATE INDEX registry_person_by_time ON registry_person (updated_at);
        CREATE TABLE registry_key (
          text_hash {blob} NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (text_hash, number));
        """
}
