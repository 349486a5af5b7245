import MienAPI
public import MienCore

/// Recorded client responses to a journey, with the expected results. `docs/spec/journeys.md`
/// describes the format.
public struct RecordedTest: Sendable {
    public enum Source: Sendable, Hashable {
        /// A path relative to the test's file.
        case path(String)
        case inline(JSONValue)
    }

    public struct Case: Sendable {
        public let name: String
        /// The user who is signed in before the start.
        let user: String?
        let parameters: JSONValue
        let exchanges: [Exchange]
        let ending: Ending
    }

    /// An expected prompt and the response to it.
    struct Exchange: Sendable {
        let step: String
        /// The data and options that the prompt must include.
        let data: JSONValue
        let options: [String]
        let response: ClientResponse
        /// The selfie in front of the camera, or the events in the verification session, before the
        /// response.
        let selfie, verification: String?
        /// The ID of the device key that answers. It completes the data.
        let key: String?
        let afterSeconds: Int
        /// The expected error code if the response is a client mistake. The run then stays at this
        /// step.
        let error: String?
    }

    enum Ending: Sendable {
        case success(user: String?, amr: [String]?, claims: JSONValue)
        case rejection(reason: String?)
    }

    public let journey: Source
    public let cases: [Case]
    let world: SimulatedWorld
}

extension RecordedTest {
    static let keys = ["$schema", "journey", "world", "cases"]
    static let caseKeys = ["name", "user", "parameters", "steps", "ends"]
    public static let maxBytes = 1024 * 1024
    static let maxCases = 500, maxExchanges = 500

    /// Parses a file of recorded tests, as strictly as a definition.
    public static func parse(_ bytes: [UInt8]) throws(JourneyDefinitionError) -> RecordedTest {
        let value: JSONValue
        do {
            value = try JSONText.parse(
                bytes, limits: JSONText.Limits(maxBytes: maxBytes, maxDepth: 32))
        } catch {
            throw JourneyDefinitionError(path: "", reason: error.description)
        }
        return try RecordedTest(value)
    }

    public init(_ value: JSONValue) throws(JourneyDefinitionError) {
        let reader = try SettingReader(value, path: "", known: Self.keys)
        switch try reader.required("journey", reader.value("journey")) {
        case .string(let path) where !path.isEmpty: journey = .path(path)
        case .object(let definition): journey = .inline(.object(definition))
        default:
            throw reader.error("journey", "expected a definition or the path of one")
        }
        world = try SimulatedWorld(reader.value("world") ?? [:])
        var cases: [Case] = []
        for (path, value) in try reader.required(
            "cases", try reader.array("cases", maxCount: Self.maxCases))
        {
            let made = try Case(value, path: path)
            guard !cases.contains(where: { $0.name == made.name }) else {
                throw JourneyDefinitionError(path: path, reason: "the name appears twice")
            }
            if let user = made.user, world.user(user) == nil {
                throw JourneyDefinitionError(
                    path: "\(path).user", reason: "the world has no such user")
            }
            cases.append(made)
        }
        self.cases = cases
    }
}

extension RecordedTest.Case {
    fileprivate init(_ value: JSONValue, path: String) throws(JourneyDefinitionError) {
        let reader = try SettingReader(value, path: path, known: RecordedTest.caseKeys)
        name = try reader.required("name", try reader.string("name", maxLength: 200))
        user = try reader.string("user", maxLength: 254)
        parameters = reader.value("parameters") ?? .null
        var exchanges: [RecordedTest.Exchange] = []
        for (path, value) in try reader.array("steps", maxCount: RecordedTest.maxExchanges) ?? [] {
            exchanges.append(try RecordedTest.Exchange(value, path: path))
        }
        self.exchanges = exchanges
        ending = try RecordedTest.Ending(try reader.required("ends", reader.value("ends")), reader)
    }
}

extension RecordedTest.Exchange {
    fileprivate init(_ value: JSONValue, path: String) throws(JourneyDefinitionError) {
        let reader = try SettingReader(
            value, path: path, known: ["expect", "respond", "after_seconds", "error"])
        let expect = try SettingReader(
            reader.required("expect", reader.value("expect")), path: reader.path("expect"),
            known: ["step", "data", "options"])
        let name = try expect.required("step", try expect.string("step", maxLength: 100))
        guard let step = JourneyStepName(spelling: name) else {
            throw expect.error(
                "step",
                "unknown client step\(Suggestion.text(for: name, among: JourneyStepName.allCases.map(\.rawValue)))"
            )
        }
        self.step = step.rawValue
        data = expect.value("data") ?? [:]
        var options: [String] = []
        for (path, value) in try expect.array("options", maxCount: 100) ?? [] {
            guard let option = value.stringValue else {
                throw JourneyDefinitionError(
                    path: path, reason: "expected the ID of an option")
            }
            options.append(option)
        }
        self.options = options
        let respond = try SettingReader(
            reader.required("respond", reader.value("respond")), path: reader.path("respond"),
            known: ["option", "data", "selfie", "verification", "key"])
        response = ClientResponse(
            option: try respond.required("option", try respond.string("option", maxLength: 64)),
            data: respond.value("data") ?? .null)
        selfie = try respond.string("selfie", maxLength: 100)
        verification = try respond.string("verification", maxLength: 100)
        key = try respond.string("key", maxLength: 128)
        afterSeconds = try reader.integer("after_seconds", 0...1_000_000, default: 0)
        error = try reader.code("error")
    }
}

extension RecordedTest.Ending {
    fileprivate init(_ value: JSONValue, _ reader: SettingReader) throws(JourneyDefinitionError) {
        let path = reader.path("ends")
        switch value {
        case "success": self = .success(user: nil, amr: nil, claims: [:])
        case "rejection": self = .rejection(reason: nil)
        case .object(let members) where members.keys.contains("success"):
            let outer = try SettingReader(value, path: path, known: ["success"])
            let success = try SettingReader(
                outer.value("success") ?? [:], path: "\(path).success",
                known: ["user", "amr", "claims"])
            let amr = try success.array("amr", maxCount: 20)?.compactMap(\.value.stringValue)
            self = .success(
                user: try success.string("user", maxLength: 254), amr: amr,
                claims: success.value("claims") ?? [:])
        case .object:
            let outer = try SettingReader(value, path: path, known: ["rejection"])
            self = .rejection(
                reason: try outer.required(
                    "rejection", try outer.string("rejection", maxLength: 100)))
        default:
            throw reader.error(
                "ends",
                "expected “success”, “rejection”, {\"success\": {…}} or {\"rejection\": reason}")
        }
    }
}
