internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Fills a new database: an administrator, a sample app, and the sample journeys.
///
/// The sign-up journey, which lets anyone create an account, is saved as a draft. It is published
/// only if the operator requests it. So are the journeys that need more than a new server has.
struct FirstStartWork {
    let publishesSignUp: Bool
    let store: Store
    let clock: ServerClock

    /// - Returns: `nil` if there already is an administrator.
    func run(portal: PublicURL) async throws -> Server.FirstStart? {
        guard try await store.read({ try $0.admins.isEmpty() }) else { return nil }
        let now = clock.now
        let admin = NewAdmin(named: NewAdmin.firstName, as: .owner, store.keys, at: now)
        let setup = NewAdministratorOffer(settingUp: admin.record, by: nil, store.keys, at: now)
        let journeys = try SampleJourneys.all.map { text in
            (text: text, definition: try JourneyDefinition.parse(Array(text.utf8)))
        }
        let published = journeys.map(\.definition.id).filter {
            !SampleJourneys.drafts.contains($0)
                && (publishesSignUp || $0 != SampleJourneys.signUpID)
        }
        let app = AppRecord(
            id: AppID("default_application")!, name: "Sample app", type: .public, party: .first,
            settings: AppSettings(), createdAt: now)
        let isFirst = try await store.write { tables in
            // Another server on the same database may have been faster.
            guard try tables.admins.isEmpty() else { return false }
            try tables.admins.insert(admin.record, tokenHash: admin.hash)
            try setup.store(in: tables)
            try tables.apps.insert(app)
            for journey in journeys {
                try tables.journeys.putDraft(
                    journey.definition.id, version: journey.definition.version,
                    definition: journey.text, at: now)
                guard published.contains(journey.definition.id) else { continue }
                _ = try tables.journeys.publish(
                    journey.definition.id, version: journey.definition.version, at: now)
            }
            try tables.audit.append(
                AuditEvent(
                    "server.first-start", actor: "system",
                    detail: ["admin": .string(admin.record.id.text)]), at: now)
            return true
        }
        guard isFirst else { return nil }
        return Server.FirstStart(
            adminCredential: admin.credential, setupCode: .init(offer: setup, portal: portal),
            sampleApp: app.id, journeys: published)
    }
}

extension FirstStartWork {
    /// Publishes the journeys of the server's pages that an older server does not have. A journey
    /// that an operator has published, changed, or retired stays as it is.
    func addPageJourneys() async throws {
        let now = clock.now
        let journeys = try SampleJourneys.ofPages.map { text in
            (text: text, definition: try JourneyDefinition.parse(Array(text.utf8)))
        }
        try await store.write { tables in
            let known = Set(try tables.journeys.all().map(\.id))
            for journey in journeys where !known.contains(journey.definition.id) {
                let (id, version) = (journey.definition.id, journey.definition.version)
                try tables.journeys.putDraft(
                    id, version: version, definition: journey.text, at: now)
                _ = try tables.journeys.publish(id, version: version, at: now)
                try tables.audit.append(
                    AuditEvent(
                        "journey.published", actor: "system",
                        detail: [
                            "journey": .string(id.text), "version": .number(Double(version)),
                        ]), at: now)
            }
        }
    }
}

extension NewAdmin {
    static let firstName = "first administrator"

    /// Replaces all administrators. For an operator who controls the machine but has lost the
    /// credential.
    ///
    /// - Parameter setup: The code with which the new one sets up the portal.
    func replaceAll(
        in store: Store, with setup: NewAdministratorOffer, at now: Instant
    ) async throws {
        let (record, hash) = (record, hash)
        try await store.write { tables in
            let count = try tables.admins.removeAll()
            try tables.admins.insert(record, tokenHash: hash)
            try setup.store(in: tables)
            try tables.audit.append(
                AuditEvent(
                    "server.admin-renewed", actor: "system",
                    detail: ["admin": .string(record.id.text), "removed": .number(Double(count))]),
                at: now)
        }
    }
}
