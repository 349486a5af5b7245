public import MienCore

/// Everything stored about one account, for its owner: GDPR Article 15 and 20.
///
/// Each table of the schema is listed here, with what is exported and why the rest is not. A test
/// compares the list with the schema, so a migration that adds a table or a column does not pass
/// until it is listed.
public struct AccountExport {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// Returns the rows about an account by section, without the log of its activity, which
    /// ``AuditTable/page(after:count:account:)`` returns in parts.
    public func sections(of account: AccountRecord) throws(StoreError) -> [String: JSONValue] {
        var sections: [String: JSONValue] = [:]
        for table in ExportedTable.all where !table.isPaged {
            let names = table.columns.map(\.name).joined(separator: ", ")
            let rows = try connection.rows(
                "SELECT \(names) FROM \(table.name) WHERE \(table.condition) ORDER BY \(table.order)",
                .id(account.id))
            var items: [JSONValue] = []
            for row in rows { items.append(.object(try members(of: row, table, account))) }
            sections[table.section] = table.isSingle ? items.first ?? .null : .array(items)
        }
        return sections
    }

    /// Returns the numbers of rows about an account by section, without sections that are empty.
    /// The sections ``kept`` outlive the account.
    public func counts(of id: UserID) throws(StoreError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in ExportedTable.all {
            let row = try connection.row(
                "SELECT COUNT(*) FROM \(table.name) WHERE \(table.condition)", .id(id))
            let count = Int(try row?.integer(0) ?? 0)
            if count > 0 { counts[table.section] = count }
        }
        return counts
    }

    /// The sections of the audit log, which has neither names nor secrets.
    public static let kept: Set<String> = [
        ExportedTable.audit.section, ExportedTable.auditCounted.section,
    ]

    private func members(of row: SQLRow, _ table: ExportedTable, _ account: AccountRecord)
        throws(StoreError) -> [String: JSONValue]
    {
        var members: [String: JSONValue] = [:]
        for (index, column) in table.columns.enumerated() {
            guard row[index] != .null else { continue }
            switch column.kind {
            case .text:
                let text = try row.text(index)
                if !text.isEmpty { members[column.name] = .string(text) }
            case .number: members[column.name] = .number(Double(try row.integer(index)))
            case .json:
                members[column.name] = try JSONColumn.value(
                    JSONValue.self, row.text(index).utf8)
            case .deviceName:
                let sealed = try row.blob(index), id = try row.text(0)
                let name = try account.key.open(sealed, .knownDeviceName, for: id)
                members["name"] = .string(String(decoding: name, as: UTF8.self))
            case .optionalJSON:
                let text = try row.text(index)
                if !text.isEmpty {
                    members[column.name] = try JSONColumn.value(JSONValue.self, text.utf8)
                }
            case .scimUser:
                let content = try account.key.open(
                    row.blob(index), .scimUser, for: "\(row.text(0)) \(account.id.text)")
                members["content"] = try JSONColumn.value(JSONValue.self, content)
            case .identityKey: break
            case .identityContent:
                guard let keyIndex = table.columns.firstIndex(where: { $0.kind == .identityKey }),
                    let sealedKey = try row.optionalBlob(keyIndex)
                else { continue }
                let id = try row.text(0)
                let content = try keys.recordKey(
                    sealedKey, of: account.key, .identityKey, for: id
                ).open(row.blob(index), .identityContent, for: id)
                members["content"] = try JSONColumn.value(JSONValue.self, content)
            case .profile:
                let profile = try account.profile.use { profile throws(StoreError) in
                    try JSONColumn.value(JSONValue.self, JSONColumn.bytes(profile))
                }
                members["profile"] = profile
            }
        }
        return members
    }
}

/// A table whose rows about an account are exported.
struct ExportedTable: Sendable {
    enum Kind: Sendable {
        case text, number, json
        /// A name sealed under the account's key. Column 0 is the device's ID.
        case deviceName
        /// JSON sealed under the account's key. Column 0 is the organization's ID.
        case scimUser
        /// The profile, which the account's record holds decrypted.
        case profile
        /// JSON, or an empty text.
        case optionalJSON
        /// JSON sealed under the key of ``identityKey``. Column 0 is the attempt's ID.
        case identityContent
        /// The key of ``identityContent``, which is not exported.
        case identityKey
    }

    let name: String
    /// The name of the rows in the export.
    let section: String
    /// The condition that selects the account's rows; `?` is the account's ID.
    var condition = "account_id = ?"
    let order: String
    let columns: [(name: String, kind: Kind)]
    /// The columns that are not exported, each with the reason.
    var omitted: [String: String] = [:]
    /// Whether the account has at most one row.
    var isSingle = false
    /// Whether the rows are exported in parts.
    var isPaged = false
}

extension ExportedTable {
    private static let ofAuthenticators =
        "authenticator_id IN (SELECT id FROM authenticator WHERE account_id = ?)"
    private static let keyedHash = "a keyed hash, which means something to this server only"
    private static let owner = "the account that the export is about"

    static let all = [
        account, journeyRun, authenticator, keptFace, faceUse, shadowTemplate, authenticatorHold,
        lockCount,
        lockDevice,
        consent,
        knownDevice,
        deviceKey, passkey, otpToken, otpRegistration, approval, recoveryCode, recovery, tokenGrant,
        grantAuthenticator, webRecord, appPermission, mailedLink, outbox, identity,
        identityAttempt, identityImage, identityJob, verificationSession, verificationImage,
        reviewCase, organizationMember, accountGroup, organizationInvitation, scimUser,
        scimGroupMember,
        auditCounted, audit,
    ]

    private static let account = ExportedTable(
        name: "account", section: "account", condition: "id = ?", order: "id",
        columns: [
            ("id", .text), ("state", .text), ("profile_sealed", .profile),
            ("created_at", .number), ("updated_at", .number), ("expires_at", .number),
            ("epoch", .number), ("is_test", .number),
        ],
        omitted: ["key_sealed": "the key that seals the person's data"], isSingle: true)

    private static let journeyRun = ExportedTable(
        name: "journey_run", section: "journey_runs", order: "expires_at, id",
        columns: [("app_id", .text), ("journey_id", .text), ("expires_at", .number)],
        omitted: [
            "id": "a part of the token with which the run's client continues it",
            "account_id": owner, "revision": "counts the answers of the run",
            "token_hash": "a keyed hash of the token with which the run's client continues it",
            "used_token_hash": "a keyed hash of the token before",
            "used_request_hash": "a keyed hash of the last answer of the client",
            "state_sealed":
                "the last step and what the run's client has just sent, such as a new password, until the run ends",
        ])

    private static let authenticator = ExportedTable(
        name: "authenticator", section: "authenticators", order: "created_at, id",
        columns: [
            ("id", .text), ("type", .text), ("app_id", .text), ("info", .json),
            ("created_at", .number), ("updated_at", .number),
        ],
        omitted: [
            "account_id": owner, "pack": "the same as in info",
            "content_sealed":
                "a secret: a password's hash, a token's key, or a face template, with which somebody else could sign in",
        ])

    private static let keptFace = ExportedTable(
        name: "kept_face", section: "kept_faces", condition: ofAuthenticators,
        order: "authenticator_id, role",
        columns: [
            ("authenticator_id", .text), ("role", .text), ("pack", .text),
            ("created_at", .number), ("expires_at", .number),
        ],
        omitted: [
            "run_id": "the run of a journey, whose holder could continue it",
            "content_sealed": "a face template, with which somebody else could sign in",
        ])

    private static let faceUse = ExportedTable(
        name: "face_use", section: "face_uses", condition: ofAuthenticators,
        order: "authenticator_id, app_id",
        columns: [("authenticator_id", .text), ("app_id", .text), ("used_at", .number)])

    private static let shadowTemplate = ExportedTable(
        name: "shadow_template", section: "shadow_faces", condition: ofAuthenticators,
        order: "authenticator_id",
        columns: [("authenticator_id", .text), ("pack_id", .text)],
        omitted: [
            "template_sealed": "a face template, with which somebody else could sign in"
        ])

    private static let authenticatorHold = ExportedTable(
        name: "authenticator_hold", section: "locks_set_by_others",
        condition: ofAuthenticators, order: "authenticator_id, holder",
        columns: [("authenticator_id", .text), ("holder", .text)])

    private static let lockCount = ExportedTable(
        name: "lock_count", section: "failures", order: "method, app_id",
        columns: [
            ("method", .text), ("app_id", .text), ("total", .number),
            ("unknown_failures", .number), ("unknown_locked_until", .number),
        ], omitted: ["account_id": owner])

    private static let lockDevice = ExportedTable(
        name: "lock_device", section: "failures_by_device", order: "device_id, method, app_id",
        columns: [
            ("device_id", .text), ("method", .text), ("app_id", .text), ("failures", .number),
            ("locked_until", .number),
        ], omitted: ["account_id": owner])

    private static let webRecord = ExportedTable(
        name: "web_record", section: "browsers", order: "expires_at",
        columns: [("kind", .text), ("expires_at", .number)],
        omitted: [
            "account_id": owner, "hash": keyedHash,
            "app_id": "set for sign-ins in progress, which belong to no account yet",
            "content_sealed": "what the sign-ins and devices list already",
            "revision": "a count of changes, for the server's own use",
        ])

    private static let appPermission = ExportedTable(
        name: "app_permission", section: "app_permissions", order: "given_at, app_id",
        columns: [("app_id", .text), ("scope", .text), ("given_at", .number)],
        omitted: ["account_id": owner])

    private static let consent = ExportedTable(
        name: "consent", section: "consents", order: "given_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("purpose", .text), ("text_version", .text),
            ("given_at", .number), ("withdrawn_at", .number),
        ], omitted: ["account_id": owner])

    private static let knownDevice = ExportedTable(
        name: "known_device", section: "devices", order: "created_at, id",
        columns: [
            ("id", .text), ("name_sealed", .deviceName), ("app_id", .text),
            ("created_at", .number), ("used_at", .number),
        ], omitted: ["account_id": owner, "token_hash": keyedHash])

    private static let deviceKey = ExportedTable(
        name: "device_key", section: "device_keys", order: "app_id, key_id",
        columns: [("app_id", .text), ("key_id", .text), ("authenticator_id", .text)],
        omitted: ["account_id": owner, "device_hash": keyedHash])

    private static let passkey = ExportedTable(
        name: "passkey", section: "passkeys", order: "authenticator_id",
        columns: [("authenticator_id", .text)],
        omitted: ["account_id": owner, "credential_hash": keyedHash])

    private static let otpToken = ExportedTable(
        name: "otp_token", section: "otp_tokens", condition: ofAuthenticators,
        order: "authenticator_id",
        columns: [
            ("authenticator_id", .text), ("registration_id", .text), ("position", .number),
            ("awaited", .number),
        ])

    private static let otpRegistration = ExportedTable(
        name: "otp_registration", section: "otp_registrations", order: "expires_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("kind", .text), ("digits", .number),
            ("expires_at", .number),
        ],
        omitted: [
            "account_id": owner, "code_hash": keyedHash,
            "made_with": "the sign-in that asked for the code, which is in sign_ins",
        ])

    private static let approval = ExportedTable(
        name: "approval", section: "approvals", order: "expires_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("decision", .text), ("authenticator_id", .text),
            ("epoch", .number), ("expires_at", .number),
        ],
        omitted: [
            "account_id": owner, "code_hash": keyedHash,
            "run_id": "the run of a journey, whose holder could continue it",
            "content_sealed": "a transaction that waits a few minutes for approval",
        ])

    private static let recoveryCode = ExportedTable(
        name: "recovery_code", section: "unused_recovery_codes", condition: ofAuthenticators,
        order: "authenticator_id", columns: [("authenticator_id", .text)],
        omitted: ["code_hash": keyedHash])

    private static let recovery = ExportedTable(
        name: "recovery", section: "recoveries", order: "requested_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("methods", .text), ("requested_at", .number),
            ("effective_at", .number), ("ended_at", .number), ("how", .text),
        ], omitted: ["account_id": owner])

    private static let tokenGrant = ExportedTable(
        name: "token_grant", section: "sign_ins", order: "created_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("authenticator_id", .text), ("scope", .text),
            ("resources", .json), ("methods", .json), ("key_thumbprint", .text),
            ("signed_in_at", .number), ("generation", .number), ("created_at", .number),
            ("used_at", .number), ("active_at", .number), ("idle_ms", .number),
            ("expires_at", .number),
            ("revoked_at", .number), ("proofs", .json), ("organization_id", .text),
        ],
        omitted: [
            "account_id": owner, "nonce": "a random value from which tokens are derived",
            "users_mark": keyedHash, "browser_mark": keyedHash,
            "claims_sealed": "what the app's tokens repeat of the account and of the journey",
        ])

    private static let grantAuthenticator = ExportedTable(
        name: "grant_authenticator", section: "sign_in_authenticators",
        condition: "grant_id IN (SELECT id FROM token_grant WHERE account_id = ?)",
        order: "grant_id, authenticator_id",
        columns: [("grant_id", .text), ("authenticator_id", .text)])

    private static let mailedLink = ExportedTable(
        name: "mailed_link", section: "mailed_links", order: "created_at, subject",
        columns: [
            ("purpose", .text), ("subject", .text), ("created_at", .number),
            ("expires_at", .number), ("ended_at", .number),
        ], omitted: ["account_id": owner, "code_hash": keyedHash])

    private static let outbox = ExportedTable(
        name: "outbox", section: "waiting_messages", order: "created_at, id",
        columns: [
            ("id", .text), ("kind", .text), ("app_id", .text), ("created_at", .number),
            ("failures", .number), ("next_at", .number),
        ],
        omitted: [
            "account_id": owner, "content_sealed": "the message itself, for its receiver",
            "claims": "how often a server began to deliver it",
            "leased_until": "until when a server delivers it",
        ])

    private static let identity = ExportedTable(
        name: "identity", section: "identity_verification", order: "account_id",
        columns: [("state", .json), ("required", .text), ("updated_at", .number)],
        omitted: ["account_id": owner, "revision": "the number of changes of the row"],
        isSingle: true)

    private static let identityAttempt = ExportedTable(
        name: "identity_attempt", section: "identity_attempts", order: "begun_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("kind", .text), ("content_sealed", .identityContent),
            ("begun_at", .number), ("content_expires_at", .number), ("result", .optionalJSON),
            ("concluded_at", .number), ("key_sealed", .identityKey),
        ], omitted: ["account_id": owner])

    private static let identityImage = ExportedTable(
        name: "identity_image", section: "identity_images",
        condition: "attempt_id IN (SELECT id FROM identity_attempt WHERE account_id = ?)",
        order: "attempt_id, role", columns: [("attempt_id", .text), ("role", .text)],
        omitted: [
            "sha256": "the hash of a picture, which is in the evidence of its attempt",
            "content_sealed":
                "a picture, which its owner has and which is too large for the export",
        ])

    private static let identityJob = ExportedTable(
        name: "identity_job", section: "identity_jobs", order: "queued_at, id",
        columns: [
            ("id", .text), ("subject", .text), ("app_id", .text), ("queued_at", .number),
            ("starts", .number), ("failures", .number), ("next_at", .number),
        ],
        omitted: [
            "account_id": owner, "leased_until": "until when a server judges it",
        ])

    private static let verificationSession = ExportedTable(
        name: "verification_session", section: "verification_sessions", order: "created_at, id",
        columns: [
            ("id", .text), ("app_id", .text), ("owner", .text), ("state", .json),
            ("result", .optionalJSON), ("created_at", .number), ("expires_at", .number),
            ("content_expires_at", .number), ("record_expires_at", .number),
        ],
        omitted: [
            "account_id": owner, "token_hash": keyedHash, "status": "the same as in state",
            "run_id": "a run of a journey, which the account has none of in its own sessions",
            "revision": "the number of changes of the row",
            "key_sealed": "the key that seals the session's content",
            "content_sealed": "where the page returns to; what was read is in the attempt",
            "origin_hash": keyedHash, "stored_bytes": "the size of its pictures",
        ])

    private static let verificationImage = ExportedTable(
        name: "verification_image", section: "verification_images",
        condition: "session_id IN (SELECT id FROM verification_session WHERE account_id = ?)",
        order: "session_id, role", columns: [("session_id", .text), ("role", .text)],
        omitted: [
            "sha256": "the hash of a picture, which is in the evidence of its attempt",
            "content_sealed":
                "a picture, which its owner has and which is too large for the export",
        ])

    private static let reviewCase = ExportedTable(
        name: "review_case", section: "identity_reviews", order: "opened_at, id",
        columns: [
            ("id", .text), ("attempt_id", .text), ("app_id", .text), ("opened_at", .number),
            ("closed_at", .number),
        ],
        omitted: [
            "account_id": owner,
            "content": "the decisions of reviewers, by name; the result is in the attempt",
        ])

    private static let organizationMember = ExportedTable(
        name: "organization_member", section: "organizations",
        order: "created_at, organization_id",
        columns: [("organization_id", .text), ("roles", .json), ("created_at", .number)],
        omitted: ["account_id": owner, "is_admin": "whether the roles contain admin"])

    private static let accountGroup = ExportedTable(
        name: "account_group", section: "groups", order: "name",
        columns: [("name", .text), ("created_at", .number)], omitted: ["account_id": owner])

    private static let scimUser = ExportedTable(
        name: "scim_user", section: "directories", order: "created_at, organization_id",
        columns: [
            ("organization_id", .text), ("is_owned", .number), ("is_active", .number),
            ("has_suspended", .number), ("content_sealed", .scimUser), ("created_at", .number),
            ("updated_at", .number),
        ], omitted: ["account_id": owner, "name_hash": keyedHash, "external_hash": keyedHash])

    private static let scimGroupMember = ExportedTable(
        name: "scim_group_member", section: "directory_groups", order: "group_id",
        columns: [("group_id", .text)], omitted: ["account_id": owner])

    private static let organizationInvitation = ExportedTable(
        name: "organization_invitation", section: "organization_invitations",
        condition: """
            id IN (SELECT i.id FROM organization_invitation i
              JOIN account_name n ON n.kind = i.kind AND n.name_hash = i.name_hash WHERE n.account_id = ?)
            """,
        order: "created_at, id",
        columns: [
            ("id", .text), ("organization_id", .text), ("kind", .text), ("roles", .json),
            ("created_at", .number), ("expires_at", .number),
        ],
        omitted: [
            "account_id": owner, "name_hash": keyedHash,
            "content_sealed": "a name of the account, which is in its profile",
            "author": "the administrator who invited, another person",
        ])

    fileprivate static let auditCounted = ExportedTable(
        name: "audit_counted", section: "activity_being_counted", order: "first_at, event",
        columns: [
            ("event", .text), ("actor", .text), ("app_id", .text), ("detail", .json),
            ("times", .number), ("first_at", .number), ("last_at", .number),
        ], omitted: ["account_id": owner])

    fileprivate static let audit = ExportedTable(
        name: "audit", section: "activity", order: "number",
        columns: [
            ("number", .number), ("at", .number), ("event", .text), ("actor", .text),
            ("app_id", .text), ("detail", .json),
        ],
        omitted: [
            "account_id": owner,
            "hash": "chains the entries of all accounts and says nothing about this one",
        ], isPaged: true)

    /// The tables from which nothing is exported, each with the reason.
    static let omitted: [String: String] = [
        "capture_trail_band": "keyed hashes by which replayed captures are found; name nobody",
        "change_version": "the numbers of changes of what servers keep in memory",
        "gallery_change":
            "random identifiers of the last changed faces, of which the authenticators tell",
        "gallery_part": "the numbers of changes of faces that servers hold in memory",
        "server": "the servers that share the database",
        "master_key": "which master key seals, with copies that only the servers open",
        "lease": "which server does the work that one does for all",
        "rate": "rate limits by keyed hash, gone when they are full again",
        "account_name": "keyed hashes of the names in `account.profile`",
        "admin": "administrators, not users",
        "admin_lock": "failures of administrators' sign-ins",
        "admin_method": "what administrators sign in with",
        "admin_offer": "invitations and setup codes of administrators",
        "admin_session": "browsers in which administrators signed in",
        "app": "the operator's apps",
        "app_refusal": "why requests of apps were refused, with nothing of a request",
        "audit_anchor": "proves how the log of all accounts begins",
        "authorization_code":
            "codes of at most 60 seconds, sealed, of which the sign-ins list the redeemed ones",
        "capture": "captures in progress, sealed and linked to a run, deleted after minutes",
        "capture_trail":
            "sealed hashes of frames, which find replays and are linked to no account",
        "challenge": "random challenges of minutes, linked to no account",
        "default_choice": "the server's own choices, about nobody",
        "duplicate_case":
            "probable duplicates, each about two people, of which reviewers alone are told: telling one would reveal the other",
        "duplicate_search": "faces that were registered a moment ago, in the order of a queue",
        "face_group": "the operator's groups of apps that share faces",
        "face_group_app": "which apps share faces",
        "identity_upload":
            "pictures of the last hour, sealed, that the user has yet to send with a document",
        "journey": "the operator's journeys",
        "licence_device": "devices of product keys, linked to no account",
        "organization": "the operator's customers",
        "organization_app": "which apps the operator's customers may use",
        "one_time_code": "keyed hashes of codes of minutes, which the user got by mail",
        "product_key": "the operator's product keys",
        "registration_token": "the operator's tokens for programs that register apps",
        "registry_key": "keyed hashes, which find people of the operator's registry",
        "registry_person":
            "people of the operator's registry, sealed and linked to no account",
        "schema_step": "the schema's version",
        "signing_key": "the server's keys",
        "scim_group": "groups of the directories of the operator's customers",
        "scim_token": "tokens of the directories of the operator's customers",
        "spent": "keyed hashes of used tokens, linked to no account",
    ]
}
