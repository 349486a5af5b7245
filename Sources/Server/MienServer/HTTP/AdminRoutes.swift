internal import Foundation
internal import Hummingbird
internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// The admin API: apps, users, authenticators, journeys, and the audit log.
struct AdminRoutes {
    let store: Store
    let apps: AppCatalog
    let catalog: JourneyCatalog
    let accounts: AccountService
    let tokens: OTPService
    let clock: ServerClock
    let body: JSONBody

    static let pageSize = 100

    func add(to router: RouterGroup<MienRequestContext>) {
        addApps(to: router)
        addUsers(to: router)
        addJourneys(to: router)
        addAudit(to: router)
    }

    // MARK: Apps

    private func addApps(to router: RouterGroup<MienRequestContext>) {
        router.get("apps") { _, _ in
            let records = try await store.read { try $0.apps.all() }
            return JSONBody.response(Page(items: try records.map { try Self.answer($0) }))
        }
        router.post("apps") { request, context in
            let wanted = try await body.read(
                AppRequest.self, AppRequest.CodingKeys.self, from: request)
            var generator = SystemRandomNumberGenerator()
            let id =
                try wanted.id.map { try Self.id($0, "id", AppKind.self) }
                ?? AppID.random(using: &generator)
            guard let type = AppType(rawValue: wanted.type ?? AppType.public.rawValue) else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "type", message: "must be public or confidential")])
            }
            guard let client = AppClient(rawValue: wanted.client ?? AppClient.other.rawValue) else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "client", message: "must be mien or other")])
            }
            var settings = try Self.settings(wanted.settings)
            if wanted.settings?["requires_dpop"] == nil { settings.requiresDPoP = client == .mien }
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
            JSONBody.response(try Self.answer(await app(context)))
        }
        router.put("apps/:app") { request, context in
            var record = try await app(context)
            let wanted = try await body.read(
                AppRequest.self, AppRequest.CodingKeys.self, from: request)
            guard wanted.id.map({ $0 == record.id.text }) ?? true,
                wanted.type.map({ $0 == record.type.rawValue }) ?? true
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
            var record = try await app(context)
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
            let record = try await app(context), now = clock.now
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

    private func app(_ context: MienRequestContext) async throws -> AppRecord {
        let id = try Self.id(context.parameters.require("app"), "app", AppKind.self)
        guard let record = try await store.read({ try $0.apps.find(id) }) else {
            throw Problem(.notFound, "There is no such app.")
        }
        return record
    }

    private func save(_ record: AppRecord, _ event: AuditEvent) async throws {
        let now = clock.now
        try await store.write { tables in
            _ = try tables.apps.update(record, at: now)
            try tables.audit.append(event, at: now)
        }
        apps.forget(record.id)
    }

    // MARK: Users

    private func addUsers(to router: RouterGroup<MienRequestContext>) {
        router.get("users") { request, _ in
            let query = request.uri.queryParameters
            let after = try query["after"].map { try Self.id(String($0), "after", UserKind.self) }
            if let name = query["identifier"] {
                let text = String(name)
                let found = try await store.read { try $0.accounts.find(identifier: text) }
                return JSONBody.response(Page(items: found.map { [Self.answer($0)] } ?? []))
            }
            let records = try await store.read {
                try $0.accounts.page(after: after, count: Self.pageSize)
            }
            return JSONBody.response(
                Page(
                    items: records.map(Self.answer),
                    next: records.count == Self.pageSize ? records.last?.id.text : nil))
        }
        router.post("users") { request, context in
            let wanted = try await body.read(
                UserRequest.self, UserRequest.CodingKeys.self, from: request)
            if wanted.state != nil {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "state",
                            message: "cannot be set because a new user is always active")
                    ])
            }
            var profile = AccountProfile(
                externalID: wanted.externalID, username: wanted.username,
                attributes: wanted.attributes ?? [:])
            profile.setEmail(wanted.email, isVerified: wanted.emailVerified ?? true)
            let id = try await accounts.create(
                profile, password: wanted.password.map { Sensitive($0) }, actor: context.actor,
                app: nil, for: .administrator(context))
            return JSONBody.response(Self.answer(try await user(id)), status: .created)
        }
        router.get("users/:user") { _, context in
            JSONBody.response(Self.answer(try await user(context)))
        }
        router.patch("users/:user") { request, context in
            let id = try await user(context).id
            let change = try await body.read(
                UserRequest.self, UserRequest.CodingKeys.self, from: request)
            return JSONBody.response(
                Self.answer(
                    try await accounts.update(
                        id, change, actor: context.actor, for: .administrator(context))))
        }
        router.post("users/:user/compromised") { _, context in
            let account = try await user(context)
            try await accounts.markCompromised(account.id, actor: context.actor)
            return Response(status: .noContent)
        }
        router.delete("users/:user") { _, context in
            try await accounts.delete(user(context).id, actor: context.actor)
            return Response(status: .noContent)
        }
        router.get("users/:user/authenticators") { _, context in
            let account = try await user(context), now = clock.now
            let found = try await store.read { tables in
                try tables.authenticators.all(of: account).map { record in
                    (
                        record, try tables.locks.lock(of: record, device: nil),
                        try tables.locks.devices(of: record.lockSubject)
                    )
                }
            }
            var items: [AuthenticatorAnswer] = []
            for (record, lock, devices) in found {
                let policy = try await apps.lockPolicy(for: record.type, app: record.app)
                items.append(Self.answer(record, lock, devices, policy, at: now))
            }
            return JSONBody.response(Page(items: items))
        }
        router.delete("users/:user/authenticators/:authenticator") { _, context in
            let account = try await user(context),
                record = try await authenticator(context, of: account), now = clock.now
            let event = Self.event("authenticator.removed", context, account, record)
            try await store.write { tables in
                _ = try tables.removeAuthenticator(record, at: now)
                try tables.audit.append(event, at: now)
            }
            return Response(status: .noContent)
        }
        router.post("users/:user/authenticators/:authenticator/unlock") { _, context in
            let account = try await user(context),
                record = try await authenticator(context, of: account), now = clock.now
            let event = Self.event("authenticator.unlocked", context, account, record)
            try await store.write { tables in
                _ = try tables.locks.release(record, by: .administrator)
                try tables.audit.append(event, at: now)
            }
            return Response(status: .noContent)
        }
        router.post("users/:user/authenticators/:authenticator/lock") { _, context in
            let account = try await user(context),
                record = try await authenticator(context, of: account), now = clock.now
            let event = Self.event("authenticator.locked", context, account, record)
            try await store.write { tables in
                _ = try tables.grants.revokeAll(by: record.id, at: now)
                try tables.locks.hold(record.id, by: .administrator)
                try tables.audit.append(event, at: now)
            }
            return Response(status: .noContent)
        }
        router.post("users/:user/otp/:app/registrations") { request, context in
            let account = try await user(context), app = try await app(context)
            let wanted = try await body.read(
                OTPRegistrationRequest.self, OTPRegistrationRequest.CodingKeys.self, from: request)
            return try await OTPRoutes.offer(
                wanted, tokens, to: account.id, app: app.id, actor: context.actor, nil)
        }
        router.get("users/:user/consents") { _, context in
            let account = try await user(context)
            let records = try await store.read { try $0.consents.all(of: account.id) }
            return JSONBody.response(Page(items: records.map(Self.answer)))
        }
        router.delete("users/:user/consents/:app") { _, context in
            // Withdrawing consent erases the template in the same transaction.
            let account = try await user(context), now = clock.now, actor = context.actor
            let app = try Self.id(context.parameters.require("app"), "app", AppKind.self)
            try await store.write { tables in
                let count = try tables.consents.withdraw(
                    of: account.id, app: app, purpose: EffectPerformer.facePurpose, at: now)
                let face = try tables.authenticators.find(.face, of: account, app: app)
                if let face {
                    _ = try tables.grants.revokeAll(by: face.id, at: now)
                    _ = try tables.authenticators.delete(face.id, of: account.id)
                }
                guard count > 0 || face != nil else {
                    throw Problem(.notFound, "This user has not consented to that app.")
                }
                try tables.audit.append(
                    AuditEvent(
                        "consent.withdrawn", actor: actor, account: account.id, app: app,
                        detail: ["face_erased": .bool(face != nil)]), at: now
                )
            }
            return Response(status: .noContent)
        }
    }

    private func user(_ context: MienRequestContext) async throws -> AccountRecord {
        try await user(Self.id(context.parameters.require("user"), "user", UserKind.self))
    }

    private func user(_ id: UserID) async throws -> AccountRecord {
        guard let account = try await store.read({ try $0.accounts.find(id) }) else {
            throw Problem(.notFound, "There is no such user.")
        }
        return account
    }

    private func authenticator(_ context: MienRequestContext, of account: AccountRecord)
        async throws -> AuthenticatorRecord
    {
        let id = try Self.id(
            context.parameters.require("authenticator"), "authenticator", AuthenticatorKind.self)
        guard let record = try await store.read({ try $0.authenticators.find(id, of: account) })
        else {
            throw Problem(.notFound, "This user has no such authenticator.")
        }
        return record
    }

    // MARK: Journeys

    private func addJourneys(to router: RouterGroup<MienRequestContext>) {
        router.get("journeys") { _, _ in
            let records = try await store.read { try $0.journeys.all() }
            return JSONBody.response(Page(items: records.map(Self.answer)))
        }
        router.put("journeys/:journey/versions/:version") { request, context in
            let (id, version) = try Self.journey(context)
            let bytes = try await body.parseWithText(request).text
            let definition: JourneyDefinition
            do throws(JourneyDefinitionError) {
                definition = try JourneyDefinition.parse(bytes)
            } catch {
                throw Problem(
                    .invalidRequest, "The journey definition is invalid.",
                    errors: [.init(field: error.place, message: error.reason)])
            }
            guard definition.id == id, definition.version == version else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "id",
                            message: "must match the address, and so must version")
                    ])
            }
            let findings = JourneyLinter.lint(definition).filter { $0.severity == .error }
            guard findings.isEmpty else {
                throw Problem(
                    .invalidRequest,
                    "The journey has errors. mien journey lint shows them as well.",
                    errors: findings.map {
                        .init(field: $0.step.map { "steps.\($0)" } ?? "", message: $0.message)
                    })
            }
            let now = clock.now, actor = context.actor,
                text = String(decoding: bytes, as: UTF8.self)
            do {
                try await store.write { tables in
                    try tables.journeys.putDraft(id, version: version, definition: text, at: now)
                    try tables.audit.append(
                        Self.event("journey.saved", actor, id, version), at: now)
                }
            } catch let error as StoreError where error.code == .conflict {
                throw Problem(
                    .conflict,
                    "Version \(version) has been published and cannot be changed. Save the next version."
                )
            }
            return JSONBody.response(Self.answer(try await record(id, version)), status: .created)
        }
        router.get("journeys/:journey/versions/:version") { _, context in
            let (id, version) = try Self.journey(context)
            let value = try JSONText.parse(
                try await record(id, version).definition,
                limits: .init(maxBytes: 1 << 20, maxDepth: 64))
            return JSONBody.response(value)
        }
        router.post("journeys/:journey/versions/:version/publish") { _, context in
            let (id, version) = try Self.journey(context), now = clock.now, actor = context.actor
            _ = try await record(id, version)
            let isDone = try await store.write { tables -> Bool in
                guard try tables.journeys.publish(id, version: version, at: now) else {
                    return false
                }
                try tables.audit.append(
                    Self.event("journey.published", actor, id, version), at: now)
                return true
            }
            guard isDone else { throw Problem(.conflict, "Only a draft can be published.") }
            catalog.forget(id)
            return JSONBody.response(Self.answer(try await record(id, version)))
        }
        router.post("journeys/:journey/versions/:version/retire") { _, context in
            let (id, version) = try Self.journey(context), now = clock.now, actor = context.actor
            _ = try await record(id, version)
            let isDone = try await store.write { tables -> Bool in
                guard try tables.journeys.retire(id, version: version, at: now) else {
                    return false
                }
                try tables.audit.append(Self.event("journey.retired", actor, id, version), at: now)
                return true
            }
            guard isDone else { throw Problem(.conflict, "This version is not published.") }
            catalog.forget(id)
            return JSONBody.response(Self.answer(try await record(id, version)))
        }
    }

    private func record(_ id: JourneyID, _ version: Int) async throws -> JourneyRecord {
        guard let record = try await store.read({ try $0.journeys.find(id, version: version) })
        else {
            throw Problem(.notFound, "There is no such version of this journey.")
        }
        return record
    }
}

extension MienRequestContext {
    /// The actor that the audit log records.
    var actor: String { admin?.id.text ?? "system" }
}

// MARK: Wire format

extension AdminRoutes {
    static func id<Kind>(_ text: String, _ field: String, _: Kind.Type) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(text) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: field,
                        message: "must have 1 to 64 characters of A-Z, a-z, 0-9, “_”, “-”, and “.”")
                ])
        }
        return id
    }

    private static func name(_ text: String) throws -> String {
        guard (1...100).contains(text.unicodeScalars.count), text.isPrintable else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "name",
                        message:
                            "must be one line of 1 to 100 characters without control characters")
                ])
        }
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

    private static func journey(_ context: MienRequestContext) throws -> (JourneyID, Int) {
        let id = try id(context.parameters.require("journey"), "journey", JourneyKind.self)
        guard let version = Int(try context.parameters.require("version")), version >= 1,
            version <= 1_000_000
        else {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "version", message: "must be a number from 1 to 1,000,000")])
        }
        return (id, version)
    }

    private static func event(_ event: String, _ actor: String, _ id: JourneyID, _ version: Int)
        -> AuditEvent
    {
        AuditEvent(
            event, actor: actor,
            detail: ["journey": .string(id.text), "version": .number(Double(version))])
    }

    private static func event(
        _ event: String, _ context: MienRequestContext, _ account: AccountRecord,
        _ record: AuthenticatorRecord
    ) -> AuditEvent {
        AuditEvent(
            event, actor: context.actor, account: account.id, app: record.app,
            detail: [
                "authenticator": .string(record.id.text), "type": .string(record.type.rawValue),
            ])
    }

    private static func answer(_ record: AppRecord, secret: String? = nil) throws -> AppAnswer {
        let settings = try JSONDecoder().decode(
            JSONValue.self, from: JSONEncoder().encode(record.settings))
        return AppAnswer(
            id: record.id.text, name: record.name, type: record.type.rawValue,
            isFirstParty: record.isFirstParty, settings: settings,
            clientSecret: secret,
            createdAt: record.createdAt.milliseconds)
    }

    private static func answer(_ record: AccountRecord) -> UserAnswer {
        let profile = record.profile.use { $0 }
        return UserAnswer(
            id: record.id.text, externalID: profile.externalID, username: profile.username,
            email: profile.email ?? profile.claimedEmail,
            emailVerified: profile.email != nil ? true : profile.claimedEmail != nil ? false : nil,
            state: record.state.rawValue,
            attributes: profile.attributes, createdAt: record.createdAt.milliseconds)
    }

    private static func answer(
        _ record: AuthenticatorRecord, _ lock: AuthenticatorLock,
        _ devices: [(device: DeviceID, counter: LockCounter)], _ policy: LockPolicy,
        at now: Instant
    ) -> AuthenticatorAnswer {
        let (word, until) = words(lock.statusOfUnknownDevices(under: policy, at: now))
        let holder = LockHolder.allCases.first { lock.holders.contains($0) }?.rawValue
        return AuthenticatorAnswer(
            id: record.id.text, type: record.type.rawValue, appID: record.app?.text, lock: word,
            lockedUntil: until,
            lockedBy: holder ?? (word == "open" ? nil : "failures"),
            failures: lock.unknownDevices.failures, totalFailures: lock.total,
            devices: devices.map { id, counter in
                let own = AuthenticatorLock(
                    total: counter.failures, device: counter, holders: lock.holders)
                let (word, until) = words(own.status(under: policy, at: now))
                return DeviceLockAnswer(
                    id: id.text, lock: word, lockedUntil: until, failures: counter.failures)
            }, info: record.info, createdAt: record.createdAt.milliseconds,
            updatedAt: record.updatedAt.milliseconds)
    }

    private static func words(_ status: LockCounter.Status) -> (lock: String, until: Int64?) {
        switch status {
        case .open: ("open", nil)
        case .locked(let end): ("locked", end.milliseconds)
        case .disabled: ("disabled", nil)
        }
    }

    private static func answer(_ record: ConsentRecord) -> ConsentAnswer {
        ConsentAnswer(
            appID: record.app.text, purpose: record.purpose, textVersion: record.textVersion,
            givenAt: record.givenAt.milliseconds,
            withdrawnAt: record.withdrawnAt?.milliseconds)
    }

    private static func answer(_ record: JourneyRecord) -> JourneyVersionAnswer {
        let title =
            (try? JSONText.parse(record.definition, limits: .init(maxBytes: 1 << 20, maxDepth: 64)))?[
                "title"]?.stringValue
        return JourneyVersionAnswer(
            id: record.id.text, version: record.version, state: record.state.rawValue,
            title: title ?? record.id.text,
            updatedAt: record.updatedAt.milliseconds)
    }
}
