internal import MienAPI
internal import MienCore
internal import MienStore

/// The tokens of organizations' directories.
struct SCIMTokens: Sendable {
    /// How often the last use is noted.
    private static let noteEvery = Duration.seconds(3600)

    let store: Store
    let clock: ServerClock

    /// - Returns: The token, which is shown once.
    func create(
        _ wanted: SCIMTokenRequest, for organization: OrganizationID, by actor: String
    ) async throws -> (record: SCIMTokenRecord, token: Sensitive<String>) {
        try Problem.requireLine(wanted.name, "name", max: 100)
        let domains = try Self.domains(wanted.domains ?? [])
        var generator = SystemRandomNumberGenerator()
        let id = SCIMTokenID.random(using: &generator),
            secret = BearerSecret(for: id, using: &generator)
        let hash = store.keys.hash(ofSecret: secret.secret), now = clock.now
        let record = SCIMTokenRecord(
            id: id, organization: organization, name: wanted.name, domains: domains,
            author: actor, createdAt: now)
        try await store.write { tables in
            guard try tables.organizations.find(organization) != nil else {
                throw Problem.noSuchOrganization
            }
            guard
                try tables.scimTokens.all(of: organization).count
                    < SCIMTokenRecord.maxPerOrganization
            else {
                throw Problem(
                    .conflict,
                    "An organization can have \(SCIMTokenRecord.maxPerOrganization) SCIM tokens. Revoke one first."
                )
            }
            try tables.scimTokens.insert(record, hash: hash)
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-token-created", organization, by: actor,
                    [
                        "token": .string(id.text),
                        "domains": .array(domains.map { .string($0) }),
                    ]), at: now)
        }
        return (record, secret.text)
    }

    private static func domains(_ texts: [String]) throws -> [String] {
        guard texts.count <= SCIMTokenRecord.maxDomains else {
            throw Problem.field(
                "domains", "may have at most \(SCIMTokenRecord.maxDomains) domains")
        }
        return try Set(
            texts.map { text in
                guard !text.contains("@"), let name = try? LoginName("a@\(text)", kind: .email)
                else {
                    throw Problem.field(
                        "domains", "must be domains of mail addresses, such as example.org")
                }
                return String(name.normal.dropFirst(2))
            }
        ).sorted()
    }

    func all(of organization: OrganizationID) async throws -> [SCIMTokenRecord] {
        try await store.read { tables in
            guard try tables.organizations.find(organization) != nil else {
                throw Problem.noSuchOrganization
            }
            return try tables.scimTokens.all(of: organization)
        }
    }

    func revoke(_ id: SCIMTokenID, of organization: OrganizationID, by actor: String) async throws {
        let now = clock.now
        try await store.write { tables in
            guard try tables.scimTokens.delete(id, of: organization) else {
                throw Problem(.notFound, "This organization has no such SCIM token.")
            }
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-token-revoked", organization, by: actor,
                    ["token": .string(id.text)]), at: now)
        }
    }

    /// Returns the directory that a token speaks for.
    func caller(_ text: String?, base: String) async throws -> SCIMCaller {
        guard let (id, secret) = text.flatMap({ BearerSecret.parse($0, SCIMTokenKind.self) }) else {
            throw SCIMError.refused
        }
        let hash = store.keys.hash(ofSecret: secret), now = clock.now
        guard let token = try await store.read({ try $0.scimTokens.find(hash: hash) }),
            token.id == id
        else { throw SCIMError.refused }
        let caller = SCIMCaller(token: token, base: base)
        try await store.read { try caller.require(in: $0) }
        if token.usedAt.map({ $0 + Self.noteEvery <= now }) ?? true {
            try await store.write(.process) { try $0.scimTokens.note(id, usedAt: now) }
        }
        return caller
    }
}
