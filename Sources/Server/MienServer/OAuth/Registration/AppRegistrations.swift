internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Apps that programs register with an initial access token: RFC 7591, RFC 7592, OpenID Connect
/// Dynamic Client Registration 1.0.
package struct AppRegistrations: Sendable {
    /// Whether the operator offers it: the setting `apps.registration`.
    package let isOn: Bool
    let store: Store
    let apps: AppCatalog
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    /// Whether the server may call a URL: the setting `webhook.hosts` lists its host.
    let mayCall: @Sendable (_ url: String) -> Bool
    /// Makes the key that signs an app's ID tokens.
    let prepareKey: @Sendable (IDTokenAlgorithm) async throws -> Void
    /// Fetches the picture of an app; `nil` unless it is one that pages can show.
    let picture: @Sendable (_ url: String) async -> String?

    /// Registers an app.
    ///
    /// - Parameter token: The initial access token.
    /// - Returns: The answer of RFC 7591 §3.2.1.
    func register(_ value: JSONValue, token: String?) async throws -> JSONValue {
        let grant = try await initial(token)
        let metadata = try Self.metadata(value)
        var base = ClientMetadata.base
        base.requiresPKCE = grant.requiresPKCE
        let settings = try await settings(of: metadata, from: base, before: AppSettings())
        var generator = SystemRandomNumberGenerator()
        let id = AppID.random(using: &generator), type = metadata.type
        let secret = settings.hasSecret(type) ? BearerSecret(for: id, using: &generator) : nil
        let access = BearerSecret(for: id, using: &generator)
        let record = AppRecord(
            id: id, name: metadata.name, type: type, party: .third,
            secretHash: secret.map { store.keys.hash(ofSecret: $0.secret) }, settings: settings,
            createdAt: clock.now,
            registration: AppRegistration(
                token: grant.id, accessHash: store.keys.hash(ofSecret: access.secret)))
        try await store.write { tables in
            guard try tables.registrationTokens.use(grant.id, at: record.createdAt) else {
                throw Self.invalidToken
            }
            try tables.apps.insert(record)
            try tables.audit.append(
                AuditEvent(
                    "app.registered", actor: "app", app: id,
                    detail: ["registration_token": .string(grant.id.text)]), at: record.createdAt)
        }
        apps.forget(id)
        RequestFacts.note(app: id)
        try await prepareKey(settings)
        var answer = answer(record)
        answer["registration_access_token"] = .string(access.text.use { $0 })
        if let secret {
            answer["client_secret"] = .string(secret.text.use { $0 })
            answer["client_secret_expires_at"] = 0
        }
        return .object(answer)
    }

    /// The app that its own registration access token names.
    ///
    /// - Throws: ``OAuthError`` `invalid_token`, the same for an unknown app.
    func app(_ id: String, token: String?) async throws -> AppRecord {
        guard let id = AppID(id), let token,
            let (named, secret) = BearerSecret.parse(token, AppKind.self), named == id,
            let app = try await store.read({ try $0.apps.find(id) }),
            let registration = app.registration,
            isSame(store.keys.hash(ofSecret: secret), registration.accessHash)
        else { throw Self.invalidToken }
        RequestFacts.note(app: id)
        return app
    }

    /// Replaces the description of an app: RFC 7592 §2.2. Settings that a description cannot express stay as
    /// an administrator has set them.
    ///
    /// - Throws: ``OAuthError`` `invalid_token` for a first-party app, whose tokens open more than
    ///   a program may decide about.
    func change(_ app: AppRecord, to value: JSONValue) async throws -> JSONValue {
        try Self.requireOwn(app)
        guard value["client_id"]?.stringValue == app.id.text else {
            throw OAuthError(.invalidClientMetadata, "client_id must be the app's ID.")
        }
        for name in [
            "registration_access_token", "registration_client_uri", "client_secret_expires_at",
            "client_id_issued_at",
        ] where value[name] != nil {
            throw OAuthError(.invalidClientMetadata, "\(name) must be absent.")
        }
        if let secret = value["client_secret"] {
            guard let hash = app.secretHash,
                let parsed = secret.stringValue.flatMap({ BearerSecret.parse($0, AppKind.self) }),
                parsed.id == app.id, isSame(store.keys.hash(ofSecret: parsed.secret), hash)
            else {
                throw OAuthError(
                    .invalidClientMetadata, "client_secret must be the app's current secret.")
            }
        }
        let metadata = try Self.metadata(value)
        guard metadata.type == app.type else {
            throw OAuthError(
                .invalidClientMetadata,
                "token_endpoint_auth_method must not make a public app confidential, or the reverse. Register another app."
            )
        }
        let changed = try await settings(of: metadata, from: app.settings, before: app.settings)
        if let fault = (changed.faults + changed.faults(of: app.type)).first {
            throw OAuthError(.invalidClientMetadata, "\(fault.setting) \(fault.message).")
        }
        guard changed.hasSecret(app.type) == app.settings.hasSecret(app.type) else {
            throw OAuthError(
                .invalidClientMetadata,
                "token_endpoint_auth_method must not change between a secret and a key. Register another app."
            )
        }
        let now = clock.now, name = metadata.name, basis = app.settings, id = app.id
        let record = try await store.write { tables in
            guard var record = try tables.apps.find(id), record.settings == basis else {
                throw OAuthError(
                    .temporarilyUnavailable, "Somebody changed the app at once. Try again.",
                    status: .serviceUnavailable)
            }
            let before = record
            (record.name, record.settings) = (name, changed)
            _ = try tables.apps.update(record, at: now)
            try tables.audit.append(
                AuditEvent(
                    "app.changed", actor: "app", app: id,
                    detail: AuditChanges.detail(
                        from: try before.auditedContent, to: try record.auditedContent)), at: now)
            return record
        }
        apps.forget(id)
        try await prepareKey(changed)
        return .object(answer(record))
    }

    /// Deletes an app: RFC 7592 §2.3.
    func delete(_ app: AppRecord) async throws {
        try Self.requireOwn(app)
        let now = clock.now, id = app.id
        try await store.write { tables in
            guard try tables.deleteApp(id, by: "app", at: now) else { throw Self.invalidToken }
        }
        apps.forget(id)
    }

    func answer(_ app: AppRecord) -> [String: JSONValue] {
        ClientMetadata.members(name: app.name, type: app.type, settings: app.settings).merging([
            "client_id": .string(app.id.text),
            "client_id_issued_at": .number(Double(app.createdAt.seconds)),
            "registration_client_uri": .string(
                "\(publicURL())/oauth2/register/\(PercentEncoding.encode(app.id.text))"),
        ]) { $1 }
    }

    // MARK: Checks

    private static let invalidToken = OAuthError(
        .invalidToken,
        "The token is missing or unknown, has expired, was revoked, or was used as often as it may be.",
        scheme: "Bearer")

    private static func requireOwn(_ app: AppRecord) throws(OAuthError) {
        guard app.isFirstParty else { return }
        throw OAuthError(
            .invalidToken, "An administrator has made this a first-party app, and manages it now.",
            status: .forbidden, scheme: "Bearer")
    }

    private func initial(_ token: String?) async throws -> RegistrationTokenRecord {
        let now = clock.now, keys = store.keys
        guard let token, let (id, secret) = BearerSecret.parse(token, RegistrationTokenKind.self),
            let found = try await store.read({
                try $0.registrationTokens.find(id, hash: keys.hash(ofSecret: secret), at: now)
            })
        else { throw Self.invalidToken }
        return found
    }

    private static func metadata(_ value: JSONValue) throws(OAuthError) -> ClientMetadata {
        do throws(ClientMetadata.Invalid) { return try ClientMetadata(value) } catch {
            throw OAuthError(
                error.code == .redirectURI ? .invalidRedirectURI : .invalidClientMetadata,
                error.reason)
        }
    }

    /// The settings of a description, with what only the server can check.
    private func settings(
        of metadata: ClientMetadata, from base: AppSettings, before: AppSettings
    ) async throws -> AppSettings {
        var settings = metadata.settings(from: base)
        if let fault = settings.jwksFault {
            throw OAuthError(.invalidClientMetadata, "jwks \(fault).")
        }
        // Members that no key needs would be stored for as long as the app.
        settings.jwks = settings.jwks.map { ClientKeySet.essential($0) }
        for (name, url, known) in [
            ("jwks_uri", settings.jwksURI, before.jwksURI),
            (
                "backchannel_logout_uri", settings.backChannelLogoutURI,
                before.backChannelLogoutURI
            ), ("logo_uri", metadata.logoURI, nil),
        ] {
            guard let url, url != known, !mayCall(url) else { continue }
            throw OAuthError(
                .invalidClientMetadata,
                "\(name) has a host that this server may not call. Its operator lists such hosts in the setting webhook.hosts."
            )
        }
        // Last, when everything else is right: a picture must not tell about hosts.
        if let url = metadata.logoURI {
            guard let picture = await picture(url) else {
                throw OAuthError(
                    .invalidClientMetadata,
                    "logo_uri must lead to a PNG, WebP, or SVG picture of at most 32 KiB, on port 443."
                )
            }
            settings.pages.logo = picture
        }
        return settings
    }

    private func prepareKey(_ settings: AppSettings) async throws {
        try await prepareKey(settings.idTokenAlgorithm)
        if let algorithm = settings.userInfoAlgorithm { try await prepareKey(algorithm) }
    }
}
