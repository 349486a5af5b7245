package import Hummingbird
internal import MienAPI
internal import MienAccess
internal import MienCore
package import MienServerAccess
package import MienServerCore

/// The routes of the admin API for the look of pages where an app does not say.
package struct PageSettingsRoutes {
    let defaults: PageDefaults
    let clock: ServerClock
    let body: JSONBody

    package init(defaults: PageDefaults, clock: ServerClock, body: JSONBody) {
        (self.defaults, self.clock, self.body) = (defaults, clock, body)
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("page-settings") { _, _ in JSONBody.response(defaults.settings) }
        router.put("page-settings") { request, context in
            let wanted = try Self.settings(try await body.parse(request))
            try await defaults.set(wanted, by: context.actor, at: clock.now)
            return JSONBody.response(wanted)
        }
    }

    /// - Throws: ``Problem`` that names each invalid setting.
    private static func settings(_ value: JSONValue) throws -> PageSettings {
        guard let members = value.objectValue else {
            throw Problem(.invalidRequest, "The body is \(value.kind), not an object.")
        }
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
        do { settings = try value.decoded(as: PageSettings.self) } catch {
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
