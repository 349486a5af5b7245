internal import Foundation
package import Hummingbird
internal import MienAPI
internal import MienCore

/// The routes of the admin API for the look of pages where an app does not say.
package struct PageSettingsRoutes {
    let defaults: PageDefaults
    let clock: ServerClock
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("page-settings") { _, _ in try Self.answer(defaults.stored) }
        router.put("page-settings") { request, context in
            let value = try await body.parse(request)
            guard var members = value.objectValue else {
                throw Problem(.invalidRequest, "The body is \(value.kind), not an object.")
            }
            let revision = members.removeValue(forKey: "revision")
            guard revision == nil || revision?.stringValue != nil else {
                throw Problem.field("revision", "must be the text that came with the settings")
            }
            let stored = try await defaults.set(
                try Self.settings(members), replacing: revision?.stringValue, by: context.actor,
                at: clock.now)
            return try Self.answer(stored)
        }
    }

    private static func answer(_ stored: PageDefaults.Stored) throws -> Response {
        let settings = try JSONDecoder().decode(
            [String: JSONValue].self, from: JSONEncoder().encode(stored.settings))
        return JSONBody.response(
            JSONValue.object(settings.merging(["revision": .string(stored.revision)]) { $1 }))
    }

    /// - Throws: ``Problem`` that names each invalid setting.
    private static func settings(_ members: [String: JSONValue]) throws -> PageSettings {
        let unknown = members.keys.filter { !PageSettings.keys.contains($0) }.sorted()
        guard unknown.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: unknown.prefix(JSONBody.maxReported).map {
                    .init(
                        field: String($0.prefix(64)),
                        message:
                            "is unknown; allowed are \(PageSettings.keys.joined(separator: ", "))")
                })
        }
        let settings: PageSettings
        do { settings = try JSONValue.object(members).decoded(as: PageSettings.self) } catch {
            throw Problem(.invalidRequest, "A setting has the wrong type.")
        }
        guard settings.faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: settings.faults.map { .init(field: $0.setting, message: $0.message) })
        }
        return settings
    }
}
