internal import Foundation
package import Hummingbird
internal import MienAPI
internal import MienAccess
internal import MienCore
package import MienServerAccess
package import MienServerCore
package import MienStore

/// The routes of the admin API for apps.
package struct AppAdminRoutes {
    let store: Store
    let apps: AppCatalog
    let records: AdminRecords
    let clock: ServerClock
    let body: JSONBody

    package init(
        store: Store, apps: AppCatalog, records: AdminRecords, clock: ServerClock, body: JSONBody
    ) {
        (self.store, self.apps, self.records, self.clock, self.body) = (
            store, apps, records, clock, body
        )
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("apps") { request, _ in
            let page = try AdminPage<AppKind>(request)
            let records = try await page.read(from: store) {
                try $0.apps.page(after: $1, count: $2)
            }
            return JSONBody.response(
                try page.answer(records, id: \.id) { try Self.answer($0) })
        }
        router.post("apps") { request, context in
            let wanted = try await body.read(
                AppRequest.self, AppRequest.CodingKeys.self, from: request)
            var generator = SystemRandomNumberGenerator()
            let id =
                try wanted.id.map { try AppID($0, field: "id") }
                ?? AppID.random(using: &generator)
            let type = wanted.type ?? .public
            var settings = try Self.settings(wanted.settings)
            if wanted.settings?["requires_dpop"] == nil {
                settings.requiresDPoP = wanted.client == .mien
            }
            let secret = type == .confidential ? BearerSecret(for: id, using: &generator) : nil
            let record = AppRecord(
                id: id, name: try Self.name(wanted.name), type: type,
                party: wanted.isFirstParty == true ? .first : .third,
                secretHash: secret.map { store.keys.hash(ofSecret: $0.secret) }, settings: settings,
                createdAt: clock.now)
            let event = AuditEvent("app.created", actor: context.actor, app: id)
            do {
                try await store.write { tables in
                    try tables.apps.insert(record)
                    try tables.audit.append(event, at: record.createdAt)
                }
            } catch let error as StoreError where error.code == .conflict {
                throw Problem(.conflict, "An app with this ID already exists.")
            }
            apps.forget(id)
            return JSONBody.response(
                try Self.answer(record, secret: secret?.text.use { $0 }), status: .created)
        }
        router.get("apps/:app") { _, context in
            JSONBody.response(try Self.answer(await records.app(context)))
        }
        router.put("apps/:app") { request, context in
            var record = try await records.app(context)
            let wanted = try await body.read(
                AppRequest.self, AppRequest.CodingKeys.self, from: request)
            guard wanted.id.map({ $0 == record.id.text }) ?? true,
                wanted.type.map({ $0 == record.type }) ?? true
            else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "type",
                            message: "cannot be changed, nor can id; create another app")
                    ])
            }
            guard wanted.client == nil else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "client",
                            message: "applies only to new apps; change settings.requires_dpop")
                    ])
            }
            record.name = try Self.name(wanted.name)
            if let isFirstParty = wanted.isFirstParty {
                record.party = isFirstParty ? .first : .third
            }
            if let settings = wanted.settings { record.settings = try Self.settings(settings) }
            try await save(
                record,
                AuditEvent(
                    "app.changed", actor: context.actor, app: record.id,
                    detail: ["party": .string(record.party.rawValue)]))
            return JSONBody.response(try Self.answer(record))
        }
        router.post("apps/:app/secret") { _, context in
            var record = try await records.app(context)
            guard record.type == .confidential else {
                throw Problem(.conflict, "A public app has no secret.")
            }
            var generator = SystemRandomNumberGenerator()
            let secret = BearerSecret(for: record.id, using: &generator)
            record.secretHash = store.keys.hash(ofSecret: secret.secret)
            try await save(
                record, AuditEvent("app.secret-changed", actor: context.actor, app: record.id))
            return JSONBody.response(try Self.answer(record, secret: secret.text.use { $0 }))
        }
        router.delete("apps/:app") { _, context in
            let record = try await records.app(context), now = clock.now
            let event = AuditEvent("app.deleted", actor: context.actor, app: record.id)
            try await store.write { tables in
                try tables.authenticators.deleteAll(ofApp: record.id)
                try tables.locks.deleteAll(ofApp: record.id)
                _ = try tables.apps.delete(record.id)
                try tables.audit.append(event, at: now)
            }
            apps.forget(record.id)
            return Response(status: .noContent)
        }
    }

    private func save(_ record: AppRecord, _ event: AuditEvent) async throws {
        let now = clock.now
        try await store.write { tables in
            _ = try tables.apps.update(record, at: now)
            try tables.audit.append(event, at: now)
        }
        apps.forget(record.id)
    }

    // MARK: Wire format

    private static func name(_ text: String) throws(Problem) -> String {
        try Problem.requireLine(text, "name", max: 100)
        return text
    }

    private static func settings(_ value: JSONValue?) throws -> AppSettings {
        guard let value else { return AppSettings() }
        guard let members = value.objectValue else {
            throw Problem(
                .invalidRequest, errors: [.init(field: "settings", message: "must be an object")])
        }
        let unknown =
            Self.unknown(members, AppSettings.keys, "settings")
            + (members["locks"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.flatMap {
                type, policy in
                Self.unknown(
                    policy.objectValue ?? [:], LockPolicy.keys, "settings.locks.\(type.prefix(64))")
            }
            + Self.unknown(
                members["tokens"]?.objectValue ?? [:], TokenLifetimes.keys, "settings.tokens")
            + Self.unknown(
                members["pages"]?.objectValue ?? [:], PageSettings.keys, "settings.pages")
            + Self.unknown(
                members["identity"]?.objectValue ?? [:], IdentitySettings.keys,
                "settings.identity")
            + Self.unknown(
                members["duplicate_faces"]?.objectValue ?? [:], DuplicateFaceSettings.keys,
                "settings.duplicate_faces")
            + Self.unknown(
                members["organizations"]?.objectValue ?? [:], OrganizationSettings.keys,
                "settings.organizations")
            + Self.unknown(
                members["biometric"]?.objectValue ?? [:], BiometricSettings.keys,
                "settings.biometric")
            + Self.unknown(
                members["liveness"]?.objectValue ?? [:], LivenessPolicy.keys, "settings.liveness")
            + (members["biometric"]?["android_apps"]?.arrayValue ?? []).enumerated().flatMap {
                index, app in
                Self.unknown(
                    app.objectValue ?? [:], AndroidApp.keys,
                    "settings.biometric.android_apps[\(index)]")
            }
        guard unknown.isEmpty else { throw Problem(.invalidRequest, errors: unknown) }
        let settings: AppSettings
        do { settings = try value.decoded(as: AppSettings.self) } catch let error as LockPolicyError
        {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "settings.locks", message: error.description)])
        } catch {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(field: "settings", message: "has a setting of the wrong type")
                ])
        }
        guard settings.faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: settings.faults.map {
                    .init(field: "settings.\($0.setting)", message: $0.message)
                })
        }
        return settings
    }

    /// Returns one error for each unknown member.
    private static func unknown(_ members: [String: JSONValue], _ known: [String], _ path: String)
        -> [Problem.FieldError]
    {
        members.keys.filter { !known.contains($0) }.sorted().prefix(JSONBody.maxReported).map {
            .init(
                field: "\(path).\($0.prefix(64))",
                message: "is unknown; allowed are \(known.joined(separator: ", "))")
        }
    }

    private static func answer(_ record: AppRecord, secret: String? = nil) throws -> AppAnswer {
        let settings = try JSONDecoder().decode(
            JSONValue.self, from: JSONEncoder().encode(record.settings))
        return AppAnswer(
            id: record.id.text, name: record.name, type: .known(record.type),
            isFirstParty: record.isFirstParty, settings: settings,
            clientSecret: secret,
            createdAt: record.createdAt.milliseconds)
    }
}
