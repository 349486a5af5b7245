internal import Foundation
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// The routes of the admin API for journeys and their versions.
package struct JourneyAdminRoutes {
    let store: Store
    let catalog: JourneyCatalog
    /// Whether this server checks documents.
    let checksDocuments: Bool
    /// Whether the server may call a URL: the setting `webhook.hosts` lists its host.
    let mayCall: @Sendable (_ url: String) -> Bool
    let clock: ServerClock
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
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
                    errors: [.init(field: error.path, message: error.reason)])
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
            if try !request.flag("incomplete") { try requireNoErrors(definition) }
            let expected = try Self.expectedTime(request)
            let now = clock.now, actor = context.actor,
                text = String(decoding: bytes, as: UTF8.self)
            do {
                try await store.write { tables in
                    if let expected,
                        try tables.journeys.find(id, version: version)?.updatedAt.milliseconds ?? 0
                            != expected
                    {
                        throw Problem(
                            .conflict,
                            "Somebody has saved version \(version) since. Look at it, combine the changes, and save again, or save the next version."
                        )
                    }
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
            // A draft may have been saved before the linter knew of the error.
            let draft = try await record(id, version).definition
            try requireNoErrors(try JourneyDefinition.parse(Array(draft.utf8)))
            let isDone = try await store.write { tables -> Bool in
                // Make sure that the definition is still the one that was checked.
                guard try tables.journeys.find(id, version: version)?.definition == draft else {
                    throw Problem(
                        .conflict,
                        "Somebody has saved version \(version) since. Look at it, and publish again."
                    )
                }
                let replaced = try tables.journeys.published(id)?.version
                guard try tables.journeys.publish(id, version: version, at: now) else {
                    return false
                }
                try tables.audit.append(
                    Self.event("journey.published", actor, id, version, replacing: replaced),
                    at: now)
                return true
            }
            guard isDone else {
                throw Problem(.conflict, "Version \(version) is published already.")
            }
            catalog.forget(id)
            return JSONBody.response(Self.answer(try await record(id, version)))
        }
        router.post("journeys/:journey/versions/:version/retire") { request, context in
            let (id, version) = try Self.journey(context), now = clock.now, actor = context.actor
            let isForced = try request.flag("force")
            // A journey has at most one published version, so apps could no longer start it.
            _ = try await record(id, version)
            let isDone = try await store.write { tables -> Bool in
                let published = try tables.journeys.published(id)
                guard published?.version != version || isForced else {
                    throw Problem(
                        .conflict,
                        "Version \(version) is the only published version; without it, apps cannot start this journey. Publish another version instead, or repeat with force=true."
                    )
                }
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

    /// - Throws: ``Problem`` with the linter's errors, and with calls that the server would never
    ///   make.
    private func requireNoErrors(_ definition: JourneyDefinition) throws {
        let findings = JourneyLinter.lint(definition, checksDocuments: checksDocuments).filter {
            $0.severity == .error
        }
        var faults = findings.map {
            Problem.FieldError(field: $0.step.map { "steps.\($0)" } ?? "", message: $0.message)
        }
        for call in definition.webhooks where !mayCall(call.url) {
            faults.append(
                Problem.FieldError(
                    field: "steps.\(call.step)",
                    message:
                        "url must be an https URL whose host the server's setting webhook.hosts lists; add the host there first"
                ))
        }
        guard faults.isEmpty else {
            throw Problem(.invalidRequest, "The journey has errors.", errors: faults)
        }
    }

    // MARK: Wire format

    /// The time of the draft that the request replaces, in milliseconds since 1970; 0 for a new
    /// version; `nil` if the request replaces any draft.
    private static func expectedTime(_ request: Request) throws -> Int64? {
        guard let text = request.uri.queryParameters["if_updated_at"] else { return nil }
        guard let time = Int64(text), time >= 0 else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "if_updated_at",
                        message: "must be the updated_at of the draft, or 0 for a new version")
                ])
        }
        return time
    }

    static func journey(_ context: MienRequestContext) throws -> (JourneyID, Int) {
        let id = try JourneyID(context.parameters.require("journey"), field: "journey")
        guard let version = Int(try context.parameters.require("version")), version >= 1,
            version <= 1_000_000
        else {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "version", message: "must be a number from 1 to 1,000,000")])
        }
        return (id, version)
    }

    private static func event(
        _ event: String, _ actor: String, _ id: JourneyID, _ version: Int,
        replacing other: Int? = nil
    ) -> AuditEvent {
        var detail: [String: JSONValue] = [
            "journey": .string(id.text), "version": .number(Double(version)),
        ]
        if let other { detail["replaces"] = .number(Double(other)) }
        return AuditEvent(event, actor: actor, detail: detail)
    }

    private static func answer(_ record: JourneyRecord) -> JourneyVersionAnswer {
        let title =
            (try? JSONText.parse(record.definition, limits: .init(maxBytes: 1 << 20, maxDepth: 64)))?[
                "title"]?.stringValue
        return JourneyVersionAnswer(
            id: record.id.text, version: record.version,
            state: .init(rawValue: record.state.rawValue),
            title: title ?? record.id.text,
            updatedAt: record.updatedAt.milliseconds)
    }
}
