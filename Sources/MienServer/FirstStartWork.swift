internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// What a fresh database needs: an administrator, a sample app, the sample journeys.
struct FirstStartWork {
    let store: Store
    let clock: ServerClock

    /// - Returns: `nil` when there is an administrator already.
    func run() async throws -> MienServer.FirstStart? {
        guard try await store.read({ try $0.admins.isEmpty() }) else { return nil }
        var generator = SystemRandomNumberGenerator()
        let id = AdminID.random(using: &generator)
        let credential = BearerSecret(for: id, using: &generator)
        let hash = store.keys.hash(ofSecret: credential.secret), now = clock.now
        let journeys = try SampleJourneys.all.map { text in (text: text, definition: try JourneyDefinition.parse(Array(text.utf8))) }
        let app = AppRecord(id: AppID("sample_app")!, name: "Sample app", type: .public, settings: AppSettings(), createdAt: now)
        try await store.write { tables in
            try tables.admins.insert(AdminRecord(id: id, name: "first administrator"), tokenHash: hash, at: now)
            try tables.apps.insert(app)
            for journey in journeys {
                try tables.journeys.putDraft(journey.definition.id, version: journey.definition.version, definition: journey.text, at: now)
                _ = try tables.journeys.publish(journey.definition.id, version: journey.definition.version, at: now)
            }
            try tables.audit.append(AuditEvent("server.first-start", actor: "system", detail: ["admin": .string(id.text)]), at: now)
        }
        return MienServer.FirstStart(adminCredential: credential.text, sampleApp: app.id, journeys: journeys.map(\.definition.id))
    }
}
