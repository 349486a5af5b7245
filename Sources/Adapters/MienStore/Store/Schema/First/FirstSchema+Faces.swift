extension FirstSchema {
    /// Live captures, templates beside those that sign in, and the search for faces.
    static let faces = """
        CREATE TABLE capture (
          id TEXT PRIMARY KEY, token_hash {blob} NOT NULL, run_id TEXT NOT NULL, app_id TEXT NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, state TEXT NOT NULL,
          frames BIGINT NOT NULL, content_sealed {blob} NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX capture_by_account ON capture (account_id);
        CREATE INDEX capture_by_end ON capture (expires_at);

        -- Replays are found by bands, which name a trail by its number.
        CREATE TABLE capture_trail (
          id TEXT PRIMARY KEY, number BIGINT NOT NULL, trail_sealed {blob} NOT NULL,
          expires_at BIGINT NOT NULL);
        CREATE UNIQUE INDEX capture_trail_by_number ON capture_trail (number);
        CREATE INDEX capture_trail_by_end ON capture_trail (expires_at);

        CREATE TABLE capture_trail_band (
          code BIGINT NOT NULL,
          number BIGINT NOT NULL REFERENCES capture_trail (number) ON DELETE CASCADE,
          PRIMARY KEY (code, number));
        CREATE INDEX capture_trail_band_by_number ON capture_trail_band (number);

        -- Before and after a migration to another model pack.
        CREATE TABLE kept_face (
          authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
          role TEXT NOT NULL, pack TEXT NOT NULL, run_id TEXT NOT NULL,
          content_sealed {blob} NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
          PRIMARY KEY (authenticator_id, role));
        CREATE INDEX kept_face_by_run ON kept_face (run_id);
        CREATE INDEX kept_face_by_end ON kept_face (expires_at);

        CREATE TABLE shadow_template (
          authenticator_id TEXT PRIMARY KEY REFERENCES authenticator (id) ON DELETE CASCADE,
          pack_id TEXT NOT NULL, template_sealed {blob} NOT NULL);

        -- Changes of faces, for the servers that hold them in memory.
        CREATE TABLE gallery_part (
          app_id TEXT NOT NULL, part BIGINT NOT NULL, version BIGINT NOT NULL, stamp BIGINT NOT NULL,
          PRIMARY KEY (app_id, part));
        CREATE TABLE gallery_change (
          app_id TEXT NOT NULL, part BIGINT NOT NULL, version BIGINT NOT NULL, stamp BIGINT NOT NULL,
          authenticator_id TEXT NOT NULL, PRIMARY KEY (app_id, part, version));

        -- Apps that share faces. An app counts since a version of the group.
        CREATE TABLE face_group (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, version BIGINT NOT NULL, max_age BIGINT NOT NULL,
          created_at BIGINT NOT NULL);
        CREATE INDEX face_group_by_time ON face_group (created_at, id);
        CREATE TABLE face_group_app (
          app_id TEXT PRIMARY KEY REFERENCES app (id) ON DELETE CASCADE,
          group_id TEXT NOT NULL REFERENCES face_group (id) ON DELETE CASCADE,
          since BIGINT NOT NULL);
        CREATE INDEX face_group_app_by_group ON face_group_app (group_id);
        CREATE TABLE face_use (
          authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, used_at BIGINT NOT NULL,
          PRIMARY KEY (authenticator_id, app_id));
        CREATE INDEX face_use_by_app ON face_use (app_id);

        CREATE TABLE duplicate_search (
          authenticator_id TEXT PRIMARY KEY REFERENCES authenticator (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL, app_id TEXT NOT NULL, queued_at BIGINT NOT NULL);
        CREATE INDEX duplicate_search_by_time ON duplicate_search (queued_at);

        CREATE TABLE duplicate_case (
          id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          other_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          score DOUBLE PRECISION NOT NULL, content TEXT NOT NULL, opened_at BIGINT NOT NULL,
          closed_at BIGINT);
        CREATE INDEX duplicate_case_by_account ON duplicate_case (account_id);
        CREATE INDEX duplicate_case_by_other ON duplicate_case (other_id);
        CREATE INDEX duplicate_case_by_time ON duplicate_case (closed_at, opened_at, id);
        """
}
