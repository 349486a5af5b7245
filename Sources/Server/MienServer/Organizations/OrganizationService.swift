internal import MienAPI
internal import MienCore
internal import MienStore

/// Creates, changes, and deletes organizations, for administrators of the server.
package struct OrganizationService: Sendable {
    /// The most apps that an organization may be allowed to use one by one.
    static let maxApps = 100

    let store: Store
    let clock: ServerClock

    func create(_ wanted: OrganizationRequest, by actor: String) async throws -> OrganizationRecord
    {
        guard let name = wanted.name else { throw Problem.field("name", "is required") }
        let now = clock.now
        var generator = SystemRandomNumberGenerator()
        var record = OrganizationRecord(
            id: .random(using: &generator), name: try Self.name(name), createdAt: now)
        try Self.apply(wanted, to: &record)
        let new = record
        try await write { tables in
            try tables.organizations.insert(new)
            try tables.audit.append(
                .ofOrganization("organization.created", new.id, by: actor), at: now)
        }
        return new
    }

    /// - Parameter wanted: `nil` leaves a value unchanged.
    func update(_ id: OrganizationID, _ wanted: OrganizationRequest, by actor: String)
        async throws -> OrganizationRecord
    {
        let now = clock.now
        return try await write { tables in
            guard var record = try tables.organizations.find(id) else {
                throw Problem.noSuchOrganization
            }
            let before = record, wasActive = record.state == .active
            if let name = wanted.name { record.name = try Self.name(name) }
            try Self.apply(wanted, to: &record)
            guard try tables.organizations.update(record, at: now) else {
                throw Problem.noSuchOrganization
            }
            var detail: [String: JSONValue] = [
                "state": .string(record.state.rawValue),
                // The names of fields alone: an organization's data may name people.
                "changed": .array(Self.changed(from: before, to: record).map { .string($0) }),
            ]
            if wasActive, record.state == .suspended {
                let ended = try tables.grants.revokeAll(through: id, at: now)
                detail["sign_ins_ended"] = .number(Double(ended))
            }
            try tables.audit.append(
                .ofOrganization("organization.changed", id, by: actor, detail), at: now)
            return record
        }
    }

    /// Deletes an organization. Sign-ins through it end; the members' accounts stay.
    func delete(_ id: OrganizationID, by actor: String) async throws {
        let now = clock.now
        try await store.write { tables in
            let contents = try tables.organizations.contents(of: id, at: now)
            try tables.grants.revokeAll(through: id, at: now)
            guard try tables.organizations.delete(id) else { throw Problem.noSuchOrganization }
            try tables.audit.append(
                .ofOrganization(
                    "organization.deleted", id, by: actor,
                    [
                        "members": .number(Double(contents.members)),
                        "sign_ins_ended": .number(Double(contents.signIns)),
                    ]), at: now)
        }
    }

    /// Lets an organization use an app, or no longer. Sign-ins through it to the app then end.
    func set(_ app: AppID, isAllowed: Bool, for id: OrganizationID, by actor: String) async throws {
        let now = clock.now
        try await store.write { tables in
            guard try tables.organizations.find(id) != nil else {
                throw Problem.noSuchOrganization
            }
            guard let found = try tables.apps.find(app) else {
                throw Problem(.notFound, "There is no such app.")
            }
            if isAllowed {
                guard try tables.organizations.apps(of: id).count < Self.maxApps else {
                    throw Problem(
                        .conflict,
                        "An organization may be allowed \(Self.maxApps) apps. Set the apps' organizations.access to all instead."
                    )
                }
                try tables.organizations.allow(app, for: id)
            } else {
                guard try tables.organizations.forbid(app, for: id) else { return }
                // Sign-ins end only if the app is limited to listed organizations.
                if found.settings.organizations.access == .listed {
                    try tables.grants.revokeAll(through: id, in: app, at: now)
                }
            }
            try tables.audit.append(
                .ofOrganization(
                    isAllowed ? "organization.app-allowed" : "organization.app-forbidden", id,
                    by: actor, app: app), at: now)
        }
    }

    private func write<Output: Sendable>(
        _ body: @escaping @Sendable (Tables) throws -> Output
    ) async throws -> Output {
        do { return try await store.write { try body($0) } } catch let error as StoreError
            where error.code == .conflict
        {
            throw Problem(.conflict, "Another organization has this external ID.")
        }
    }

    private static func name(_ text: String) throws -> OrganizationName {
        guard let name = OrganizationName(text) else {
            throw Problem.field(
                "name",
                "must be one line of 1 to \(OrganizationName.maxLength) characters without control characters"
            )
        }
        return name
    }

    private static func changed(from old: OrganizationRecord, to new: OrganizationRecord)
        -> [String]
    {
        [
            ("external_id", old.externalID != new.externalID),
            ("metadata", old.metadata != new.metadata), ("name", old.name != new.name),
            ("state", old.state != new.state),
        ].filter(\.1).map(\.0)
    }

    private static func apply(_ wanted: OrganizationRequest, to record: inout OrganizationRecord)
        throws
    {
        if let externalID = wanted.externalID {
            if !externalID.isEmpty {
                try Problem.requireLine(
                    externalID, "external_id", max: OrganizationRequest.maxExternalID)
                guard externalID != OrganizationRequest.none else {
                    throw Problem.field(
                        "external_id",
                        "must not be “\(OrganizationRequest.none)”, with which a sign-in asks for no organization"
                    )
                }
            }
            record.externalID = externalID.isEmpty ? nil : externalID
        }
        if let state = wanted.state { record.state = state }
        if let metadata = wanted.metadata {
            let value = JSONValue.object(metadata)
            guard JSONText.write(value).utf8.count <= 16 * 1024, value.depth <= 8 else {
                throw Problem.field(
                    "metadata", "must be at most 16 KB of JSON, nested at most 8 levels deep")
            }
            record.metadata = metadata
        }
    }
}

extension AuditEvent {
    /// An event in an organization.
    static func ofOrganization(
        _ event: String, _ id: OrganizationID, by actor: String, account: UserID? = nil,
        app: AppID? = nil, _ detail: [String: JSONValue] = [:]
    ) -> AuditEvent {
        AuditEvent(
            event, actor: actor, account: account, app: app,
            detail: detail.merging(["organization": .string(id.text)]) { $1 })
    }
}
