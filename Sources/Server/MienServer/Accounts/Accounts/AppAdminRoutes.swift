internal import Foundation
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for apps.
package struct AppAdminRoutes {
    let store: Store
    let apps: AppCatalog
    let records: AdminRecords
    let clock: ServerClock
    let body: JSONBody
    /// Whether the server may call a URL: the setting `webhook.hosts` lists its host.
    let mayCall: @Sendable (_ url: String) -> Bool
    /// Makes the key that signs an app's ID tokens. Clients see it at once among the published keys.
    let prepareKey: @Sendable (IDTokenAlgorithm) async throws -> Void

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("apps") { request, _ in
            let page = try AdminPage<AppKind>(request)
            let records = try await page.read(from: store) {
                try $0.apps.page(after: $1, count: $2)
            }
            return JSONBody.response(
                try page.answer(records, id: \.id) { try answer($0) })
        }
        router.post("apps") { request, context in
            let wanted = try await body.read(
                AppRequest.self, AppRequest.CodingKeys.self, from: request)
            guard wanted.revision == nil else {
                throw Problem.field("revision", "applies only to changes; a new app has none")
            }
            var generator = SystemRandomNumberGenerator()
            let id =
                try wanted.id.map { try AppID($0, field: "id") }
                ?? AppID.random(using: &generator)
            guard !id.isFaceGroup else {
                throw Problem.field(
                    "id", "must not begin with fgr_, which the groups of apps that share faces have"
                )
            }
            let type = wanted.type ?? .public
            var settings = try Self.settings(wanted.settings)
            try requireCallable(settings, before: AppSettings())
            try Self.requireFit(settings, for: type)
            if wanted.settings?["requires_dpop"] == nil {
                settings.requiresDPoP = wanted.client == .mien
            }
            let secret = settings.hasSecret(type) ? BearerSecret(for: id, using: &generator) : nil
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
            try await prepareKeys(settings)
            return JSONBody.response(
                try answer(record, secret: secret?.text.use { $0 }), status: .created)
        }
        router.get("apps/:app") { _, context in
            let record = try await records.app(context)
            var answer = try answer(record)
            answer.introspectedBy = try await store.read { try $0.apps.services(of: record.id) }
                .map(\.text)
            return JSONBody.response(answer)
        }
        router.get("apps/:app/refusals") { _, context in
            let id = try await records.app(context).id
            let refusals = try await store.read { try $0.refusals.all(of: id) }
            return JSONBody.response(
                AppRefusalsAnswer(
                    refusals: refusals.map {
                        AppRefusalsAnswer.Refusal(
                            route: $0.route, error: $0.error, description: $0.description,
                            count: $0.count, firstAt: $0.firstAt.milliseconds,
                            lastAt: $0.lastAt.milliseconds)
                    }))
        }
        router.put("apps/:app") { request, context in
            let id = try Self.id(context)
            let wanted = try await body.read(
                AppRequest.self, AppRequest.CodingKeys.self, from: request)
            guard wanted.client == nil else {
                throw Problem.field(
                    "client", "applies only to new apps; change settings.requires_dpop")
            }
            let name = try Self.name(wanted.name)
            let settings = try wanted.settings.map { try Self.settings($0) }
            let keys = store.keys
            let changed = try await change(id, "app.changed", by: context) { record in
                guard wanted.id.map({ $0 == record.id.text }) ?? true,
                    wanted.type.map({ $0 == record.type }) ?? true
                else {
                    throw Problem.field(
                        "type", "cannot be changed, nor can id; create another app")
                }
                guard try wanted.revision.map({ try $0 == Self.revision(of: record, keys) }) ?? true
                else {
                    throw Problem(
                        .conflict,
                        "Somebody has changed this app since. Look at it as it is now, and make the changes again."
                    )
                }
                record.name = name
                if let isFirstParty = wanted.isFirstParty {
                    record.party = isFirstParty ? .first : .third
                }
                if let settings {
                    try requireCallable(settings, before: record.settings)
                    try Self.requireFit(settings, for: record.type)
                    record.settings = settings
                }
            }
            try await prepareKeys(changed.settings)
            return JSONBody.response(try answer(changed))
        }
        router.post("apps/:app/secret") { _, context in
            let id = try Self.id(context)
            var generator = SystemRandomNumberGenerator()
            let secret = BearerSecret(for: id, using: &generator)
            let hash = store.keys.hash(ofSecret: secret.secret)
            let changed = try await change(id, "app.secret-changed", by: context) { record in
                guard record.settings.hasSecret(record.type) else {
                    throw Problem(
                        .conflict,
                        record.type == .public
                            ? "A public app has no secret."
                            : "This app authenticates with its own key. Change settings.token_endpoint_auth_method first."
                    )
                }
                record.secretHash = hash
            }
            return JSONBody.response(try answer(changed, secret: secret.text.use { $0 }))
        }
        router.delete("apps/:app") { _, context in
            let id = try Self.id(context), now = clock.now
            let actor = context.actor
            try await store.write { tables in
                guard try tables.deleteApp(id, by: actor, at: now) else { throw Problem.noSuchApp }
            }
            apps.forget(id)
            return Response(status: .noContent)
        }
    }

    private func prepareKeys(_ settings: AppSettings) async throws {
        try await prepareKey(settings.idTokenAlgorithm)
        if let algorithm = settings.userInfoAlgorithm { try await prepareKey(algorithm) }
    }

    /// Changes an app in one transaction, with an entry in the audit log that says what changed.
    ///
    /// - Parameter body: Changes the app as it is stored, so that what others changed meanwhile
    ///   stays.
    /// - Throws: ``Problem`` `.notFound`, or what `body` throws.
    private func change(
        _ id: AppID, _ event: String, by context: MienRequestContext,
        _ body: @escaping @Sendable (inout AppRecord) throws -> Void
    ) async throws -> AppRecord {
        let now = clock.now, actor = context.actor
        let changed = try await store.write { tables in
            guard let before = try tables.apps.find(id) else { throw Problem.noSuchApp }
            var record = before
            try body(&record)
            _ = try tables.apps.update(record, at: now)
            let detail = AuditChanges.detail(
                from: try before.auditedContent, to: try record.auditedContent)
            try tables.audit.append(
                AuditEvent(event, actor: actor, app: id, detail: detail), at: now)
            return record
        }
        apps.forget(id)
        return changed
    }

    private static func id(_ context: MienRequestContext) throws -> AppID {
        try AppID(context.parameters.require("app"), field: "app")
    }

    /// Names the content of an app.
    private static func revision(of record: AppRecord, _ keys: StoreKeys) throws -> String {
        let text = JSONText.write(.object(try record.auditedContent))
        return Base64URL.encode(Array(keys.hash(ofSecret: Array(text.utf8)).prefix(16)))
    }

    private static func json(_ settings: AppSettings) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(settings))
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
                members["claims"]?.objectValue ?? [:], ClaimSettings.keys, "settings.claims")
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
        } catch let error as DecodingError {
            let fault = JSONBody.field(error)
            throw Problem.field(
                fault.field.isEmpty ? "settings" : "settings.\(fault.field)", fault.message)
        } catch {
            throw Problem.field("settings", "has a setting of the wrong type")
        }
        var faults = settings.faults
        if let fault = settings.jwksFault { faults.append(("jwks", fault)) }
        guard faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: faults.map {
                    .init(field: "settings.\($0.setting)", message: $0.message)
                })
        }
        return settings
    }

    /// Refuses settings that an app of this type cannot have.
    private static func requireFit(_ settings: AppSettings, for type: AppType) throws(Problem) {
        let faults = settings.faults(of: type)
        guard faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: faults.map {
                    .init(field: "settings.\($0.setting)", message: $0.message)
                })
        }
    }

    /// Refuses a new address that the server would never call. A value that the app has already
    /// stays: the operator may have removed its host from `webhook.hosts`.
    private func requireCallable(_ settings: AppSettings, before: AppSettings) throws(Problem) {
        let faults = [
            (
                "backchannel_logout_uri", settings.backChannelLogoutURI,
                before.backChannelLogoutURI
            ), ("identity.webhook", settings.identity.webhook, before.identity.webhook),
            ("jwks_uri", settings.jwksURI, before.jwksURI),
        ].compactMap { setting, url, known -> Problem.FieldError? in
            guard let url, url != known, !mayCall(url) else { return nil }
            return .init(
                field: "settings.\(setting)",
                message:
                    "must be an https URL whose host the server's setting webhook.hosts lists; add the host there first"
            )
        }
        guard faults.isEmpty else { throw Problem(.invalidRequest, errors: faults) }
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

    private func answer(_ record: AppRecord, secret: String? = nil) throws -> AppAnswer {
        AppAnswer(
            id: record.id.text, name: record.name, type: .known(record.type),
            isFirstParty: record.isFirstParty,
            settings: try Self.json(record.settings), clientSecret: secret,
            createdAt: record.createdAt.milliseconds,
            revision: try Self.revision(of: record, store.keys),
            registrationToken: record.registration?.token.text)
    }
}
