// Longer than 600 lines, because the steps are one sequence whose order matters, and each new one
// goes to its end.

/// The schema, as a list of migration steps in portable SQL. A released step never changes; later
/// changes are new steps.
///
/// Times are milliseconds since 1970 UTC. `BIGINT` and `TEXT` mean the same in SQLite and
/// PostgreSQL; `{blob}` is replaced with each dialect's type. Personal data is sealed (`*_sealed`)
/// or stored as a keyed hash (`*_hash`): see docs/spec/storage.md.
enum Migrations {
    /// The steps after `39-schema-compatibility` beside which the version before works: they add
    /// tables, indexes, and columns that are nullable or have a default, or replace an index, and
    /// change no data that it reads. Servers of several versions then run on one database during an
    /// upgrade. A step that removes or changes something does not belong here; it follows in a later
    /// version, once no server uses what it removes. See “Schema” in docs/spec/storage.md.
    static let compatible: Set<String> = [
        "40-capture-account", "42-pages", "44-test-accounts", "45-outbox", "46-servers",
        "47-trail-bands", "48-gallery-parts", "49-master-keys",
        "50-run-account", "51-otp-resynchronization",
        "52-verification-origin", "60-waiting-owner",
    ]

    static let all: [(name: String, statements: [String])] = [
        (
            "1-accounts",
            [
                """
                CREATE TABLE app (
                  id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, secret_hash {blob},
                  settings TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """,
                """
                CREATE TABLE account (
                  id TEXT PRIMARY KEY, state TEXT NOT NULL, key_sealed {blob} NOT NULL, profile_sealed {blob} NOT NULL,
                  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """,
                "CREATE INDEX account_by_time ON account (created_at, id)",
                """
                CREATE TABLE account_name (
                  kind TEXT NOT NULL, name_hash {blob} NOT NULL, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  PRIMARY KEY (kind, name_hash))
                """,
                "CREATE INDEX account_name_by_account ON account_name (account_id)",
                """
                CREATE TABLE authenticator (
                  id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  type TEXT NOT NULL, app_id TEXT NOT NULL, content_sealed {blob} NOT NULL, info TEXT NOT NULL,
                  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """,
                "CREATE INDEX authenticator_by_account ON authenticator (account_id, type, app_id)",
                """
                CREATE TABLE lock_counter (
                  authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE, scope TEXT NOT NULL,
                  failures BIGINT NOT NULL, locked_until BIGINT, is_disabled BIGINT NOT NULL, PRIMARY KEY (authenticator_id, scope))
                """,
                """
                CREATE TABLE consent (
                  id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, app_id TEXT NOT NULL,
                  purpose TEXT NOT NULL, text_version TEXT NOT NULL, given_at BIGINT NOT NULL, withdrawn_at BIGINT)
                """,
                "CREATE INDEX consent_by_account ON consent (account_id, app_id, purpose)",
                """
                CREATE TABLE known_device (
                  token_hash {blob} PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, id TEXT NOT NULL,
                  app_id TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL)
                """,
                "CREATE INDEX known_device_by_account ON known_device (account_id)",
            ]
        ),
        (
            "2-journeys",
            [
                """
                CREATE TABLE journey (
                  id TEXT NOT NULL, version BIGINT NOT NULL, state TEXT NOT NULL, definition TEXT NOT NULL,
                  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (id, version))
                """,
                """
                CREATE TABLE journey_run (
                  id TEXT PRIMARY KEY, app_id TEXT NOT NULL, journey_id TEXT NOT NULL, revision BIGINT NOT NULL, token_hash {blob} NOT NULL,
                  used_token_hash {blob}, used_request_hash {blob}, answer_sealed {blob}, state_sealed {blob} NOT NULL,
                  expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX journey_run_by_end ON journey_run (expires_at)",
                """
                CREATE TABLE capture (
                  id TEXT PRIMARY KEY, token_hash {blob} NOT NULL, run_id TEXT NOT NULL, app_id TEXT NOT NULL, state TEXT NOT NULL,
                  frames BIGINT NOT NULL, content_sealed {blob} NOT NULL, expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX capture_by_end ON capture (expires_at)",
                """
                CREATE TABLE one_time_code (
                  id TEXT PRIMARY KEY, code_hash {blob} NOT NULL, attempts BIGINT NOT NULL, expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX one_time_code_by_end ON one_time_code (expires_at)",
            ]
        ),
        (
            "3-operation",
            [
                "CREATE TABLE admin (id TEXT PRIMARY KEY, name TEXT NOT NULL, token_hash {blob} NOT NULL, created_at BIGINT NOT NULL)",
                """
                CREATE TABLE signing_key (
                  id TEXT PRIMARY KEY, key_sealed {blob} NOT NULL, public_key {blob} NOT NULL, created_at BIGINT NOT NULL,
                  retires_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)
                """,
                """
                CREATE TABLE audit (
                  number BIGINT PRIMARY KEY, at BIGINT NOT NULL, event TEXT NOT NULL, actor TEXT NOT NULL, account_id TEXT NOT NULL,
                  app_id TEXT NOT NULL, detail TEXT NOT NULL, hash {blob} NOT NULL)
                """,
                "CREATE INDEX audit_by_account ON audit (account_id, number)",
            ]
        ),
        (
            "4-tokens",
            [
                """
                CREATE TABLE token_grant (
                  id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, authenticator_id TEXT NOT NULL, nonce {blob} NOT NULL,
                  scope TEXT NOT NULL, resources TEXT NOT NULL, methods TEXT NOT NULL, key_thumbprint TEXT NOT NULL, signed_in_at BIGINT NOT NULL,
                  generation BIGINT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL, idle_ms BIGINT, expires_at BIGINT NOT NULL,
                  revoked_at BIGINT)
                """,
                "CREATE INDEX token_grant_by_account ON token_grant (account_id, app_id)",
                "CREATE INDEX token_grant_by_authenticator ON token_grant (authenticator_id)",
                "CREATE INDEX token_grant_by_end ON token_grant (expires_at)",
                """
                CREATE TABLE challenge (
                  token_hash {blob} PRIMARY KEY, purpose TEXT NOT NULL, bound_to TEXT NOT NULL, expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX challenge_by_end ON challenge (expires_at)",
                """
                CREATE TABLE authorization_code (
                  code_hash {blob} PRIMARY KEY, content_sealed {blob} NOT NULL, grant_id TEXT NOT NULL, expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX authorization_code_by_end ON authorization_code (expires_at)",
                "CREATE TABLE spent (kind TEXT NOT NULL, hash {blob} NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (kind, hash))",
                "CREATE INDEX spent_by_end ON spent (expires_at)",
                """
                CREATE TABLE device_key (
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, key_id TEXT NOT NULL,
                  authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, device_hash {blob}, PRIMARY KEY (app_id, key_id))
                """,
                "CREATE INDEX device_key_by_account ON device_key (account_id, app_id)",
                "CREATE INDEX device_key_by_authenticator ON device_key (authenticator_id)",
            ]
        ),
        (
            // AccountTable.completeIdentifiers fills in existing names, because SQL cannot hash.
            "5-identifiers",
            [
                "ALTER TABLE account_name ADD COLUMN identifier_hash {blob}",
                "CREATE INDEX account_name_by_identifier ON account_name (identifier_hash)",
            ]
        ),
        (
            "6-passkeys",
            [
                """
                CREATE TABLE passkey (
                  credential_hash {blob} PRIMARY KEY, authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE,
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE)
                """,
                "CREATE INDEX passkey_by_account ON passkey (account_id)",
                "CREATE INDEX passkey_by_authenticator ON passkey (authenticator_id)",
            ]
        ),
        ("7-refresh-marks", ["ALTER TABLE token_grant ADD COLUMN users_mark {blob}"]),
        (
            "8-otp",
            [
                """
                CREATE TABLE otp_registration (
                  id TEXT PRIMARY KEY, code_hash {blob} NOT NULL, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, kind TEXT NOT NULL, digits BIGINT NOT NULL, expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX otp_registration_by_account ON otp_registration (account_id, app_id)",
                "CREATE INDEX otp_registration_by_end ON otp_registration (expires_at)",
                """
                CREATE TABLE otp_token (
                  authenticator_id TEXT PRIMARY KEY REFERENCES authenticator (id) ON DELETE CASCADE, registration_id TEXT NOT NULL UNIQUE,
                  position BIGINT NOT NULL)
                """,
            ]
        ),
        (
            "9-capture-trails",
            [
                "CREATE TABLE capture_trail (id TEXT PRIMARY KEY, trail_sealed {blob} NOT NULL, expires_at BIGINT NOT NULL)",
                "CREATE INDEX capture_trail_by_end ON capture_trail (expires_at)",
            ]
        ),
        (
            "10-licences",
            [
                """
                CREATE TABLE product_key (
                  id TEXT PRIMARY KEY, key_hash {blob} NOT NULL, product TEXT NOT NULL, name TEXT NOT NULL, activations BIGINT NOT NULL,
                  used BIGINT NOT NULL, days BIGINT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT)
                """,
                """
                CREATE TABLE licence_device (
                  product_key_id TEXT NOT NULL REFERENCES product_key (id) ON DELETE CASCADE, device_hash {blob} NOT NULL, created_at BIGINT NOT NULL,
                  PRIMARY KEY (product_key_id, device_hash))
                """,
            ]
        ),
        (
            "11-mailed-links",
            [
                """
                CREATE TABLE mailed_link (
                  code_hash {blob} PRIMARY KEY, purpose TEXT NOT NULL, subject TEXT NOT NULL,
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                  ended_at BIGINT)
                """,
                "CREATE INDEX mailed_link_by_subject ON mailed_link (subject)",
                "CREATE INDEX mailed_link_by_account ON mailed_link (account_id)",
                "CREATE INDEX mailed_link_by_end ON mailed_link (expires_at)",
            ]
        ),
        (
            "12-recovery-codes",
            [
                """
                CREATE TABLE recovery_code (
                  authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE, code_hash {blob} NOT NULL,
                  PRIMARY KEY (authenticator_id, code_hash))
                """
            ]
        ),
        (
            "13-recoveries",
            [
                """
                CREATE TABLE recovery (
                  id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, methods TEXT NOT NULL, requested_at BIGINT NOT NULL,
                  effective_at BIGINT NOT NULL, ended_at BIGINT, how TEXT NOT NULL)
                """,
                "CREATE INDEX recovery_by_account ON recovery (account_id)",
                "CREATE INDEX recovery_by_effect ON recovery (effective_at)",
            ]
        ),
        (
            // Existing apps become third-party apps until an operator marks the first-party ones.
            "14-credentials",
            [
                "ALTER TABLE account ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0",
                "ALTER TABLE app ADD COLUMN party TEXT NOT NULL DEFAULT 'undecided'",
                "ALTER TABLE token_grant ADD COLUMN proofs TEXT NOT NULL DEFAULT '[]'",
                """
                CREATE TABLE grant_authenticator (
                  grant_id TEXT NOT NULL REFERENCES token_grant (id) ON DELETE CASCADE, authenticator_id TEXT NOT NULL,
                  PRIMARY KEY (grant_id, authenticator_id))
                """,
                "CREATE INDEX grant_authenticator_by_authenticator ON grant_authenticator (authenticator_id)",
                """
                INSERT INTO grant_authenticator (grant_id, authenticator_id)
                SELECT id, authenticator_id FROM token_grant WHERE authenticator_id <> ''
                """,
            ]
        ),
        (
            "15-audit-retention",
            [
                """
                CREATE TABLE audit_anchor (
                  id BIGINT PRIMARY KEY, number BIGINT NOT NULL, hash {blob} NOT NULL, mac {blob} NOT NULL, pruned_at BIGINT NOT NULL)
                """,
                """
                CREATE TABLE audit_counted (
                  event TEXT NOT NULL, actor TEXT NOT NULL, account_id TEXT NOT NULL, app_id TEXT NOT NULL, detail TEXT NOT NULL,
                  times BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL,
                  PRIMARY KEY (event, actor, account_id, app_id, detail))
                """,
            ]
        ),
        (
            // Failures of an authenticator become failures of its account's method. No device gets
            // a counter, because the methods that had succeeded on it were not recorded. A manual
            // lock becomes an administrator's, because it cannot be told apart from a journey's
            // lock.
            "16-locks",
            [
                "CREATE UNIQUE INDEX known_device_by_id ON known_device (id)",
                """
                CREATE TABLE lock_count (
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, method TEXT NOT NULL, app_id TEXT NOT NULL,
                  total BIGINT NOT NULL, unknown_failures BIGINT NOT NULL, unknown_locked_until BIGINT, PRIMARY KEY (account_id, method, app_id))
                """,
                """
                CREATE TABLE lock_device (
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, method TEXT NOT NULL, app_id TEXT NOT NULL,
                  device_id TEXT NOT NULL REFERENCES known_device (id) ON DELETE CASCADE, failures BIGINT NOT NULL, locked_until BIGINT,
                  PRIMARY KEY (account_id, method, app_id, device_id))
                """,
                "CREATE INDEX lock_device_by_device ON lock_device (device_id)",
                """
                CREATE TABLE authenticator_hold (
                  authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE, holder TEXT NOT NULL,
                  PRIMARY KEY (authenticator_id, holder))
                """,
                // A thousand is more than any policy allows, and the sum cannot overflow.
                """
                INSERT INTO lock_count (account_id, method, app_id, total, unknown_failures, unknown_locked_until)
                SELECT a.account_id, a.type, a.app_id, SUM(CASE WHEN c.failures > 1000 THEN 1000 ELSE c.failures END),
                  SUM(CASE WHEN c.scope <> '' THEN 0 WHEN c.failures > 1000 THEN 1000 ELSE c.failures END),
                  MAX(CASE WHEN c.scope = '' THEN c.locked_until END)
                FROM lock_counter c JOIN authenticator a ON a.id = c.authenticator_id WHERE c.scope <> '*' GROUP BY a.account_id, a.type, a.app_id
                """,
                """
                INSERT INTO authenticator_hold (authenticator_id, holder)
                SELECT authenticator_id, 'administrator' FROM lock_counter WHERE scope = '*' AND is_disabled = 1
                """,
                "DROP TABLE lock_counter",
            ]
        ),
        (
            // AccountTable.detachUnverifiedEmails checks existing accounts.
            "17-sign-ups",
            [
                "ALTER TABLE account ADD COLUMN expires_at BIGINT",
                "ALTER TABLE account ADD COLUMN address_checked BIGINT NOT NULL DEFAULT 0",
                "CREATE INDEX account_by_end ON account (expires_at)",
                "CREATE INDEX account_by_address_check ON account (address_checked)",
            ]
        ),
        (
            // Codes given out before do not say who asked for them; they expire within minutes.
            "18-registration-codes",
            ["ALTER TABLE otp_registration ADD COLUMN made_with TEXT NOT NULL DEFAULT ''"]
        ),
        (
            "19-own-accounts",
            ["ALTER TABLE known_device ADD COLUMN name_sealed {blob}"]
        ),
        (
            // No foreign key for the account: its deletion is reported, too.
            "20-logout-notices",
            [
                "ALTER TABLE app ADD COLUMN hears_logouts BIGINT NOT NULL DEFAULT 0",
                """
                CREATE TABLE logout_notice (
                  grant_id TEXT PRIMARY KEY, account_id TEXT NOT NULL, app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE,
                  ended_at BIGINT NOT NULL, attempts BIGINT NOT NULL, next_at BIGINT NOT NULL)
                """,
                "CREATE INDEX logout_notice_by_next ON logout_notice (next_at)",
            ]
        ),
        // Sign-ins from before are as active as their last refresh.
        ("21-activity", ["ALTER TABLE token_grant ADD COLUMN active_at BIGINT"]),
        (
            // A request for an unknown user has no account.
            "22-approvals",
            [
                """
                CREATE TABLE approval (
                  id TEXT PRIMARY KEY, code_hash {blob} NOT NULL UNIQUE, account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, run_id TEXT NOT NULL, content_sealed {blob} NOT NULL,
                  decision TEXT NOT NULL DEFAULT '', authenticator_id TEXT, epoch BIGINT, expires_at BIGINT NOT NULL)
                """,
                "CREATE INDEX approval_by_account ON approval (account_id)",
                "CREATE INDEX approval_by_app ON approval (app_id)",
                "CREATE INDEX approval_by_end ON approval (expires_at)",
            ]
        ),
        (
            // Installations that had users before they had the check only observe it.
            "23-default-choices",
            [
                "CREATE TABLE default_choice (name TEXT PRIMARY KEY, choice TEXT NOT NULL)",
                """
                INSERT INTO default_choice (name, choice)
                SELECT 'presentation', CASE WHEN EXISTS (SELECT 1 FROM account) THEN 'observe' ELSE 'require' END
                """,
            ]
        ),
        (
            // AuthenticatorTable.completePacks fills in the packs of existing faces.
            "24-face-packs",
            [
                "ALTER TABLE authenticator ADD COLUMN pack TEXT NOT NULL DEFAULT ''",
                "CREATE INDEX authenticator_by_pack ON authenticator (type, pack)",
                """
                CREATE TABLE kept_face (
                  authenticator_id TEXT NOT NULL REFERENCES authenticator (id) ON DELETE CASCADE, role TEXT NOT NULL,
                  pack TEXT NOT NULL, run_id TEXT NOT NULL, content_sealed {blob} NOT NULL, created_at BIGINT NOT NULL,
                  expires_at BIGINT NOT NULL, PRIMARY KEY (authenticator_id, role))
                """,
                "CREATE INDEX kept_face_by_run ON kept_face (run_id)",
                "CREATE INDEX kept_face_by_end ON kept_face (expires_at)",
            ]
        ),
        (
            "25-shadow-templates",
            [
                """
                CREATE TABLE shadow_template (
                  authenticator_id TEXT PRIMARY KEY REFERENCES authenticator (id) ON DELETE CASCADE, pack_id TEXT NOT NULL,
                  template_sealed {blob} NOT NULL)
                """
            ]
        ),
        (
            "26-web",
            [
                """
                CREATE TABLE web_record (
                  kind TEXT NOT NULL, hash {blob} NOT NULL, account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
                  content_sealed {blob} NOT NULL, revision BIGINT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (kind, hash))
                """,
                "CREATE INDEX web_record_by_account ON web_record (account_id)",
                "CREATE INDEX web_record_by_end ON web_record (expires_at)",
                """
                CREATE TABLE app_permission (
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, scope TEXT NOT NULL, given_at BIGINT NOT NULL,
                  PRIMARY KEY (account_id, app_id))
                """,
                "CREATE INDEX app_permission_by_app ON app_permission (app_id)",
            ]
        ),
        (
            "27-identities",
            [
                """
                CREATE TABLE identity (
                  account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE, state TEXT NOT NULL, required TEXT NOT NULL,
                  revision BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """,
                """
                CREATE TABLE identity_attempt (
                  id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, app_id TEXT NOT NULL,
                  kind TEXT NOT NULL, begun_at BIGINT NOT NULL, content_expires_at BIGINT NOT NULL, result TEXT NOT NULL,
                  concluded_at BIGINT, key_sealed {blob}, content_sealed {blob})
                """,
                "CREATE INDEX identity_attempt_by_account ON identity_attempt (account_id, begun_at)",
                "CREATE INDEX identity_attempt_by_end ON identity_attempt (content_expires_at)",
                "CREATE INDEX identity_attempt_by_result ON identity_attempt (concluded_at, begun_at)",
                """
                CREATE TABLE identity_image (
                  attempt_id TEXT NOT NULL REFERENCES identity_attempt (id) ON DELETE CASCADE, role TEXT NOT NULL, sha256 {blob} NOT NULL,
                  content_sealed {blob}, PRIMARY KEY (attempt_id, role))
                """,
                """
                CREATE TABLE review_case (
                  id TEXT PRIMARY KEY, attempt_id TEXT NOT NULL UNIQUE REFERENCES identity_attempt (id) ON DELETE CASCADE,
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, app_id TEXT NOT NULL, content TEXT NOT NULL,
                  opened_at BIGINT NOT NULL, closed_at BIGINT)
                """,
                "CREATE INDEX review_case_by_account ON review_case (account_id)",
                "CREATE INDEX review_case_by_time ON review_case (closed_at, opened_at)",
            ]
        ),
        (
            // People whom an operator knows. They are no users, so no account owns them.
            "28-registry",
            [
                "CREATE TABLE registry_person (id_hash {blob} PRIMARY KEY, content_sealed {blob} NOT NULL, updated_at BIGINT NOT NULL)",
                "CREATE INDEX registry_person_by_time ON registry_person (updated_at)",
                """
                CREATE TABLE registry_key (
                  text_hash {blob} NOT NULL, id_hash {blob} NOT NULL REFERENCES registry_person (id_hash) ON DELETE CASCADE,
                  PRIMARY KEY (text_hash, id_hash))
                """,
                "CREATE INDEX registry_key_by_person ON registry_key (id_hash)",
            ]
        ),
        (
            "29-registry-numbers",
            [
                """
                CREATE TABLE registry_row (
                  number INTEGER PRIMARY KEY, id_hash {blob} NOT NULL UNIQUE, text_hashes {blob},
                  content_sealed {blob} NOT NULL, updated_at BIGINT NOT NULL)
                """,
                """
                INSERT INTO registry_row (number, id_hash, text_hashes, content_sealed, updated_at)
                SELECT ROW_NUMBER() OVER (ORDER BY id_hash), id_hash, NULL, content_sealed, updated_at FROM registry_person
                """,
                "CREATE TABLE registry_text (text_hash {blob} NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (text_hash, number))",
                """
                INSERT INTO registry_text (text_hash, number) SELECT DISTINCT substr(k.text_hash, 1, 8), r.number
                FROM registry_key k JOIN registry_row r ON r.id_hash = k.id_hash
                """,
                "DROP TABLE registry_key", "DROP TABLE registry_person",
                "ALTER TABLE registry_row RENAME TO registry_person",
                "ALTER TABLE registry_text RENAME TO registry_key",
                "CREATE INDEX registry_person_by_time ON registry_person (updated_at)",
            ]
        ),
        (
            "30-duplicate-faces",
            [
                "CREATE INDEX authenticator_by_face ON authenticator (app_id, type, pack, id)",
                """
                CREATE TABLE duplicate_search (
                  authenticator_id TEXT PRIMARY KEY REFERENCES authenticator (id) ON DELETE CASCADE,
                  account_id TEXT NOT NULL, app_id TEXT NOT NULL, queued_at BIGINT NOT NULL)
                """,
                "CREATE INDEX duplicate_search_by_time ON duplicate_search (queued_at)",
                """
                CREATE TABLE duplicate_case (
                  id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE,
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  other_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, score DOUBLE PRECISION NOT NULL,
                  content TEXT NOT NULL, opened_at BIGINT NOT NULL, closed_at BIGINT)
                """,
                "CREATE INDEX duplicate_case_by_account ON duplicate_case (account_id)",
                "CREATE INDEX duplicate_case_by_other ON duplicate_case (other_id)",
                "CREATE INDEX duplicate_case_by_time ON duplicate_case (closed_at, opened_at)",
            ]
        ),
        (
            "31-identity-uploads",
            [
                """
                CREATE TABLE identity_upload (
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, role TEXT NOT NULL,
                  content_sealed {blob} NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (account_id, app_id, role))
                """,
                "CREATE INDEX identity_upload_by_time ON identity_upload (expires_at)",
            ]
        ),
        (
            "32-identity-jobs",
            [
                """
                CREATE TABLE identity_job (
                  id TEXT PRIMARY KEY, subject TEXT NOT NULL, account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
                  queued_at BIGINT NOT NULL, starts BIGINT NOT NULL, failures BIGINT NOT NULL, next_at BIGINT NOT NULL)
                """,
                "CREATE INDEX identity_job_by_account ON identity_job (account_id)",
                "CREATE INDEX identity_job_by_time ON identity_job (next_at, queued_at)",
                """
                CREATE TABLE identity_notice (
                  id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, body TEXT NOT NULL,
                  created_at BIGINT NOT NULL, attempts BIGINT NOT NULL, next_at BIGINT NOT NULL)
                """,
                "CREATE INDEX identity_notice_by_app ON identity_notice (app_id)",
                "CREATE INDEX identity_notice_by_time ON identity_notice (next_at)",
                "CREATE INDEX identity_notice_by_creation ON identity_notice (created_at)",
            ]
        ),
        (
            "33-verification-sessions",
            [
                """
                CREATE TABLE verification_session (
                  id TEXT PRIMARY KEY, token_hash {blob} NOT NULL, app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE,
                  owner TEXT NOT NULL, account_id TEXT REFERENCES account (id) ON DELETE CASCADE, run_id TEXT, state TEXT NOT NULL,
                  status TEXT NOT NULL, result TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                  content_expires_at BIGINT NOT NULL, revision BIGINT NOT NULL, key_sealed {blob}, content_sealed {blob})
                """,
                "CREATE INDEX verification_session_by_app ON verification_session (app_id, status)",
                "CREATE INDEX verification_session_by_account ON verification_session (account_id)",
                "CREATE INDEX verification_session_by_end ON verification_session (status, expires_at)",
                "CREATE INDEX verification_session_by_retention ON verification_session (content_expires_at)",
                """
                CREATE TABLE verification_image (
                  session_id TEXT NOT NULL REFERENCES verification_session (id) ON DELETE CASCADE, role TEXT NOT NULL,
                  sha256 {blob} NOT NULL, content_sealed {blob}, PRIMARY KEY (session_id, role))
                """,
            ]
        ),
        (
            // Earlier administrators could do everything.
            "34-administrator-role",
            ["ALTER TABLE admin ADD COLUMN role TEXT NOT NULL DEFAULT 'owner'"]
        ),
        (
            // The name with which an administrator signs in is set with the first sign-in method.
            "35-administrator-sign-in",
            [
                "ALTER TABLE admin ADD COLUMN login TEXT",
                "CREATE UNIQUE INDEX admin_by_login ON admin (login)",
                """
                CREATE TABLE admin_method (
                  id TEXT PRIMARY KEY, admin_id TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE, kind TEXT NOT NULL,
                  credential_hash {blob}, name TEXT NOT NULL, content_sealed {blob} NOT NULL, last_step BIGINT,
                  created_at BIGINT NOT NULL, used_at BIGINT)
                """,
                "CREATE UNIQUE INDEX admin_method_by_credential ON admin_method (credential_hash)",
                "CREATE INDEX admin_method_by_admin ON admin_method (admin_id)",
                """
                CREATE TABLE admin_session (
                  hash {blob} PRIMARY KEY, admin_id TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE, method TEXT NOT NULL,
                  signed_in_at BIGINT NOT NULL, used_at BIGINT NOT NULL)
                """,
                "CREATE INDEX admin_session_by_admin ON admin_session (admin_id)",
                """
                CREATE TABLE admin_lock (
                  admin_id TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE, method TEXT NOT NULL, browser {blob} NOT NULL,
                  total BIGINT NOT NULL, failures BIGINT NOT NULL, locked_until BIGINT, used_at BIGINT NOT NULL,
                  PRIMARY KEY (admin_id, method, browser))
                """,
                """
                CREATE TABLE admin_offer (
                  id TEXT PRIMARY KEY, kind TEXT NOT NULL, code_hash {blob} NOT NULL UNIQUE, subject TEXT NOT NULL, name TEXT NOT NULL,
                  role TEXT NOT NULL, author TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                  secret_sealed {blob})
                """,
                "CREATE INDEX admin_offer_by_subject ON admin_offer (subject)",
            ]
        ),
        (
            // Apps take turns. A job without its attempt or session has nothing to judge.
            "36-identity-job-app",
            [
                "ALTER TABLE identity_job ADD COLUMN app_id TEXT NOT NULL DEFAULT ''",
                """
                UPDATE identity_job SET app_id = COALESCE(
                  (SELECT app_id FROM identity_attempt a WHERE a.id = identity_job.id),
                  (SELECT app_id FROM verification_session s WHERE s.id = identity_job.id), '')
                """,
                "DELETE FROM identity_job WHERE app_id = ''",
                "CREATE INDEX identity_job_by_app ON identity_job (app_id, next_at, queued_at)",
            ]
        ),
        (
            // 90 days after their creation, or with their content if that is kept for longer.
            "37-verification-session-end",
            [
                "ALTER TABLE verification_session ADD COLUMN record_expires_at BIGINT NOT NULL DEFAULT 0",
                """
                UPDATE verification_session SET record_expires_at =
                  CASE WHEN content_expires_at > created_at + 7776000000 THEN content_expires_at ELSE created_at + 7776000000 END
                """,
                "CREATE INDEX verification_session_by_record ON verification_session (record_expires_at)",
            ]
        ),
        (
            // Few entries are administrators', and every sign-in writes one.
            "38-audit-search",
            [
                "CREATE INDEX audit_by_event ON audit (event, number)",
                "CREATE INDEX audit_by_administrator ON audit (actor, number) WHERE substr(actor, 1, 4) = 'adm_'",
            ]
        ),
        (
            // Servers accept unknown steps with 1: see `compatible`.
            "39-schema-compatibility",
            ["ALTER TABLE schema_step ADD COLUMN compatible BIGINT NOT NULL DEFAULT 0"]
        ),
        (
            // A capture that is open during the upgrade ends by itself within its lifetime.
            "40-capture-account",
            [
                "ALTER TABLE capture ADD COLUMN account_id TEXT REFERENCES account (id) ON DELETE CASCADE",
                "CREATE INDEX capture_by_account ON capture (account_id)",
            ]
        ),
        (
            // An invitation to a user name counts for the account that had it, because another
            // account could take the name later. An address is verified before it names an account.
            "41-organizations",
            [
                """
                CREATE TABLE organization (
                  id TEXT PRIMARY KEY, external_id TEXT UNIQUE, name TEXT NOT NULL, name_key TEXT NOT NULL, state TEXT NOT NULL,
                  metadata TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """,
                "CREATE INDEX organization_by_name ON organization (name_key, id)",
                """
                CREATE TABLE organization_app (
                  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
                  app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE, PRIMARY KEY (organization_id, app_id))
                """,
                "CREATE INDEX organization_app_by_app ON organization_app (app_id)",
                """
                CREATE TABLE organization_member (
                  organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
                  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, roles TEXT NOT NULL,
                  is_admin BIGINT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (organization_id, account_id))
                """,
                "CREATE INDEX organization_member_by_account ON organization_member (account_id)",
                "CREATE INDEX organization_member_by_time ON organization_member (organization_id, created_at, account_id)",
                "CREATE INDEX organization_member_by_role ON organization_member (organization_id, is_admin, created_at, account_id)",
                """
                CREATE TABLE organization_invitation (
                  id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
                  kind TEXT NOT NULL, name_hash {blob} NOT NULL, account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
                  content_sealed {blob} NOT NULL, roles TEXT NOT NULL, author TEXT NOT NULL, created_at BIGINT NOT NULL,
                  expires_at BIGINT NOT NULL, UNIQUE (organization_id, kind, name_hash))
                """,
                "CREATE INDEX organization_invitation_by_name ON organization_invitation (kind, name_hash)",
                "CREATE INDEX organization_invitation_by_account ON organization_invitation (account_id)",
                "CREATE INDEX organization_invitation_by_time ON organization_invitation (expires_at)",
                "ALTER TABLE token_grant ADD COLUMN organization_id TEXT NOT NULL DEFAULT ''",
                "CREATE INDEX token_grant_by_organization ON token_grant (organization_id, account_id) WHERE organization_id <> ''",
            ]
        ),
        (
            // Every page of a list starts where an index says, however long the list is.
            "42-pages",
            [
                "CREATE INDEX app_by_time ON app (created_at, id)",
                "CREATE INDEX admin_by_time ON admin (created_at, id)",
                "CREATE INDEX product_key_by_time ON product_key (created_at, id)",
                "DROP INDEX review_case_by_time",
                "CREATE INDEX review_case_by_time ON review_case (closed_at, opened_at, id)",
                "DROP INDEX duplicate_case_by_time",
                "CREATE INDEX duplicate_case_by_time ON duplicate_case (closed_at, opened_at, id)",
                "CREATE INDEX token_grant_by_time ON token_grant (account_id, created_at, id) WHERE revoked_at IS NULL",
                "CREATE INDEX audit_by_act ON audit (actor, event, number) WHERE substr(actor, 1, 4) = 'adm_'",
            ]
        ),
        (
            // Earlier setup codes left the credential as it was.
            "43-setup-code-credential",
            ["ALTER TABLE admin_offer ADD COLUMN ends_credential BIGINT NOT NULL DEFAULT 0"]
        ),
        (
            // Accounts of people stay what they are: a test account is made as one.
            "44-test-accounts",
            ["ALTER TABLE account ADD COLUMN is_test BIGINT NOT NULL DEFAULT 0"]
        ),
        (
            // Mail and webhooks. No foreign key for the account: its deletion is told, too. The
            // tables logout_notice and identity_notice remain for servers of the version before.
            "45-outbox",
            [
                """
                CREATE TABLE outbox (
                  id TEXT PRIMARY KEY, kind TEXT NOT NULL, app_id TEXT REFERENCES app (id) ON DELETE CASCADE, account_id TEXT,
                  content_sealed {blob} NOT NULL, created_at BIGINT NOT NULL, failures BIGINT NOT NULL, claims BIGINT NOT NULL,
                  next_at BIGINT NOT NULL, leased_until BIGINT NOT NULL)
                """,
                "CREATE INDEX outbox_by_time ON outbox (kind, next_at)",
                "CREATE INDEX outbox_by_creation ON outbox (kind, created_at)",
                "CREATE INDEX outbox_by_app ON outbox (app_id)",
                "CREATE INDEX outbox_by_account ON outbox (account_id)",
            ]
        ),
        (
            "46-servers",
            [
                "CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, fence BIGINT NOT NULL, expires_at BIGINT NOT NULL)",
                "CREATE TABLE rate (name TEXT NOT NULL, hash {blob} NOT NULL, full_at BIGINT NOT NULL, PRIMARY KEY (name, hash))",
                "CREATE INDEX rate_by_time ON rate (full_at)",
                "CREATE TABLE server (name TEXT PRIMARY KEY, address TEXT NOT NULL, seen_at BIGINT NOT NULL)",
                "CREATE TABLE change_version (topic TEXT PRIMARY KEY, version BIGINT NOT NULL)",
                "ALTER TABLE identity_job ADD COLUMN leased_until BIGINT NOT NULL DEFAULT 0",
            ]
        ),
        (
            // A trail without a number has no bands yet.
            "47-trail-bands",
            [
                "ALTER TABLE capture_trail ADD COLUMN number BIGINT",
                "CREATE UNIQUE INDEX capture_trail_by_number ON capture_trail (number)",
                """
                CREATE TABLE capture_trail_band (
                  code BIGINT NOT NULL, number BIGINT NOT NULL REFERENCES capture_trail (number) ON DELETE CASCADE,
                  PRIMARY KEY (code, number))
                """,
                "CREATE INDEX capture_trail_band_by_number ON capture_trail_band (number)",
            ]
        ),
        (
            // Changes of faces, for the servers that hold them in memory. A server of the version
            // before notes none, and announces itself with 0.
            "48-gallery-parts",
            [
                """
                CREATE TABLE gallery_part (
                  app_id TEXT NOT NULL, part BIGINT NOT NULL, version BIGINT NOT NULL, stamp BIGINT NOT NULL,
                  PRIMARY KEY (app_id, part))
                """,
                """
                CREATE TABLE gallery_change (
                  app_id TEXT NOT NULL, part BIGINT NOT NULL, version BIGINT NOT NULL, stamp BIGINT NOT NULL,
                  authenticator_id TEXT NOT NULL, PRIMARY KEY (app_id, part, version))
                """,
                "ALTER TABLE server ADD COLUMN galleries BIGINT NOT NULL DEFAULT 0",
            ]
        ),
        (
            // Which key seals, on databases that servers share. A server of the version before leaves
            // the columns of `server` NULL, and is waited for.
            "49-master-keys",
            [
                """
                CREATE TABLE master_key (
                  version BIGINT PRIMARY KEY, name {blob} NOT NULL UNIQUE, state TEXT NOT NULL, key_sealed {blob},
                  sealed_by BIGINT, actor TEXT NOT NULL, changed_at BIGINT NOT NULL, passed_at BIGINT)
                """,
                "ALTER TABLE server ADD COLUMN host TEXT NOT NULL DEFAULT ''",
                "ALTER TABLE server ADD COLUMN key_stored BIGINT",
                "ALTER TABLE server ADD COLUMN key_active BIGINT",
                "ALTER TABLE server ADD COLUMN key_fault TEXT NOT NULL DEFAULT ''",
            ]
        ),
        (
            // A run that is open during the upgrade, or that a server of the version before starts,
            // belongs to no account and ends by itself within its lifetime.
            "50-run-account",
            [
                "ALTER TABLE journey_run ADD COLUMN account_id TEXT REFERENCES account (id) ON DELETE CASCADE",
                "CREATE INDEX journey_run_by_account ON journey_run (account_id)",
            ]
        ),
        (
            // The counter whose code resynchronizes an OTP token. A server of the version before
            // leaves it as it is; a counter that is behind the position resynchronizes nothing.
            "51-otp-resynchronization", ["ALTER TABLE otp_token ADD COLUMN awaited BIGINT"]
        ),
        (
            // Who uses up room for verification sessions. A server of the version before counts
            // nothing, and the sessions that are open during the upgrade end within a week.
            "52-verification-origin",
            [
                "ALTER TABLE verification_session ADD COLUMN origin_hash {blob}",
                "ALTER TABLE verification_session ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0",
                "CREATE INDEX verification_session_by_owner ON verification_session (owner, status, app_id, origin_hash, stored_bytes)",
            ]
        ),
        (
            // What waits goes with the account and the app that it belongs to. A server of the version
            // before leaves the columns NULL; what it stores ends by itself within an hour.
            "60-waiting-owner",
            [
                "ALTER TABLE one_time_code ADD COLUMN account_id TEXT REFERENCES account (id) ON DELETE CASCADE",
                "CREATE INDEX one_time_code_by_account ON one_time_code (account_id)",
                "ALTER TABLE authorization_code ADD COLUMN app_id TEXT REFERENCES app (id) ON DELETE CASCADE",
                "CREATE INDEX authorization_code_by_app ON authorization_code (app_id)",
                "ALTER TABLE authorization_code ADD COLUMN account_id TEXT REFERENCES account (id) ON DELETE CASCADE",
                "CREATE INDEX authorization_code_by_account ON authorization_code (account_id, app_id)",
                "ALTER TABLE web_record ADD COLUMN app_id TEXT REFERENCES app (id) ON DELETE CASCADE",
                "CREATE INDEX web_record_by_app ON web_record (app_id)",
            ]
        ),
    ]
}
