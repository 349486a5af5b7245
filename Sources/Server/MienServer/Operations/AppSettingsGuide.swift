internal import Foundation
internal import MienAPI
internal import MienCore

/// The settings that an app can have, from the API's description and this server's configuration.
package struct AppSettingsGuide: Sendable {
    /// The server's own values, which apps without theirs have.
    let faceThreshold: Double
    let liveness: LivenessPolicy

    /// - Parameter pages: The look that the server has for apps without theirs.
    func answer(pages: PageSettings) throws -> AppSettingsGuideAnswer {
        let document = try JSONText.parse(
            Array(OpenAPIDocument.text.utf8), limits: .init(maxBytes: 16 << 20, maxDepth: 64))
        let schemas = document["components"]?["schemas"]?.objectValue ?? [:]
        var settings = AppSettings()
        settings.faceThreshold = faceThreshold
        settings.pages = pages
        settings.liveness = LivenessPolicy(
            mode: liveness.mode ?? .livenessActive, threshold: liveness.threshold ?? 0,
            quality: liveness.quality, timeoutSeconds: liveness.timeoutSeconds ?? 60,
            actions: LivenessPolicy.Action.allCases, accommodation: true,
            light: liveness.light ?? .off, lightAccommodation: liveness.lightAccommodation ?? false)
        for type in AuthenticatorType.allCases {
            settings.locks[type.rawValue] = type.defaultLockPolicy
        }
        return AppSettingsGuideAnswer(
            schema: Self.resolved(schemas["AppSettings"] ?? .null, schemas),
            defaults: try JSONDecoder().decode(
                JSONValue.self, from: JSONEncoder().encode(settings)),
            thresholds: stride(from: 24, through: 72, by: 4).map {
                let score = MatchScore(Double($0))
                return FaceThresholdAnswer(
                    score: score.value, falseMatchRate: score.falseMatchRate,
                    inWords: score.falseMatchRateInWords)
            })
    }

    /// Replaces references by what they name. Schemas of settings do not contain themselves.
    private static func resolved(
        _ value: JSONValue, _ schemas: [String: JSONValue], depth: Int = 0
    ) -> JSONValue {
        guard depth < 32 else { return value }
        switch value {
        case .object(let members):
            if let name = members["$ref"]?.stringValue?.split(separator: "/").last,
                let schema = schemas[String(name)]
            {
                return resolved(schema, schemas, depth: depth + 1)
            }
            return .object(members.mapValues { resolved($0, schemas, depth: depth + 1) })
        case .array(let items):
            return .array(items.map { resolved($0, schemas, depth: depth + 1) })
        default: return value
        }
    }
}
