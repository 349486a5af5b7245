import MienCore
import MienIdentity
import Testing

@Suite("Mapping of a service's requests and responses")
struct HTTPSourceMappingTests {
    static let json: JSONValue = [
        "name": "bureau",
        "send": [
            "firstName": "/subject/given", "lastName": "/subject/family",
            "dateOfBirth": "/subject/born", "address": "/subject/home/line",
            "city": "/subject/home/town", "country": "/land/code",
        ],
        "constants": ["/product": "person-check", "/subject/kind": 1],
        "outcome": [
            "at": "/result/status",
            "values": [
                "FOUND": "agrees", "OTHER": "differs", "UNSURE": "unclear", "NOBODY": "unknown",
                "false": "unavailable", "7": "agrees",
            ],
        ],
        "fields": [
            "firstName": ["at": "/fields/given", "values": ["match": 1, "close": 0.85, "no": 0]],
            "address": ["at": "/fields/0~1line", "of": 100],
        ],
        "marks": [
            "deceased": ["at": "/alerts", "values": ["DECEASED", "ESTATE"]],
            "fraud": ["at": "/people/1/fraud", "values": ["true"]],
        ],
    ]

    private func mapping(_ value: JSONValue = json) throws -> HTTPSourceMapping {
        try HTTPSourceMapping(json: Array(JSONText.write(value).utf8))
    }

    private func query(_ input: PersonalDataInput) throws -> SourceQuery {
        SourceQuery(
            attempt: try #require(IdentityAttemptID("idv_1")), person: try PersonalData(input),
            input: input)
    }

    /// Whether the answer leads to ALLOW, CHALLENGE, or DENY under the standard rules.
    private func recommendation(_ document: JSONValue, _ value: JSONValue = json) throws -> String {
        let checks = try mapping(value).answer(document).checks
        return RecommendationRules.standard.recommendation(for: checks, acceptsStillFaces: false)
            .rawValue
    }

    @Test("a request has each field at its place, as typed, and nothing else")
    func request() throws {
        let query = try query(People.input(firstName: "ADA", country: "us"))
        #expect(
            try mapping().request(query) == [
                "subject": [
                    "given": "ADA", "family": "Lovelock", "born": "1985-12-10", "kind": 1,
                    "home": ["line": "12 Saint James Street"],
                ],
                "land": ["code": "US"], "product": "person-check",
            ])
        #expect(!"\(query) \(String(reflecting: query))".contains("Lovelock"))
    }

    @Test(
        "the outcome and the fields decide together",
        arguments: [
            ("FOUND", "match", 100, "ALLOW"), ("FOUND", "close", 90, "ALLOW"),
            ("FOUND", "no", 100, "DENY"), ("FOUND", "match", 12, "DENY"),
            ("UNSURE", "match", 100, "CHALLENGE"), ("UNSURE", "no", 100, "DENY"),
            ("OTHER", "match", 100, "DENY"), ("NOBODY", "match", 100, "DENY"),
            ("FOUND", nil, 100, "CHALLENGE"),
        ] as [(String, String?, Int, String)])
    func outcomes(status: String, first: String?, address: Int, wanted: String) throws {
        var fields: [String: JSONValue] = ["0/line": .number(Double(address))]
        fields["given"] = first.map { .string($0) }
        let document: JSONValue = [
            "result": ["status": .string(status)], "fields": .object(fields),
        ]
        #expect(try recommendation(document) == wanted)
    }

    @Test("an outcome alone decides where no field has a result of its own")
    func outcomeAlone() throws {
        var value = try #require(Self.json.objectValue)
        value["fields"] = nil
        for (status, wanted) in [
            ("FOUND", "ALLOW"), ("UNSURE", "CHALLENGE"), ("OTHER", "DENY"), ("NOBODY", "DENY"),
        ] {
            let document: JSONValue = ["result": ["status": .string(status)]]
            #expect(try recommendation(document, .object(value)) == wanted)
        }
        #expect(try recommendation(["result": ["status": 7]], .object(value)) == "ALLOW")
    }

    @Test("fields alone decide without an outcome, and one that is missing verifies nobody")
    func fieldsAlone() throws {
        var value = try #require(Self.json.objectValue)
        value["outcome"] = nil
        value["fields"] = .object(
            Dictionary(
                uniqueKeysWithValues: IdentityField.required.map {
                    (
                        $0.rawValue,
                        ["at": .string("/" + $0.rawValue), "values": ["true": 1, "false": 0]]
                    )
                }))
        let all = Dictionary(
            uniqueKeysWithValues: IdentityField.required.map { ($0.rawValue, JSONValue.bool(true)) }
        )
        #expect(try recommendation(.object(all), .object(value)) == "ALLOW")
        for field in IdentityField.required {
            #expect(
                try recommendation(
                    .object(all.merging([field.rawValue: false]) { $1 }), .object(value)) == "DENY")
            #expect(
                try recommendation(
                    .object(all.filter { $0.key != field.rawValue }), .object(value))
                    == "CHALLENGE")
        }
    }

    @Test("marks are read from a value or a list")
    func marks() throws {
        func marks(_ document: [String: JSONValue]) throws -> Set<SourceAnswer.Mark> {
            try mapping().answer(
                .object(document.merging(["result": ["status": "NOBODY"]]) { $1 })
            ).marks
        }
        #expect(try marks([:]) == [] && marks(["alerts": nil]) == [])
        #expect(try marks(["alerts": "DECEASED"]) == [.deceased])
        #expect(try marks(["alerts": ["MOVED", "ESTATE"]]) == [.deceased])
        #expect(try marks(["alerts": ["MOVED"]]) == [])
        #expect(try marks(["people": [[:], ["fraud": true]]]) == [.fraud])
        #expect(try marks(["people": [["fraud": true]]]) == [])
    }

    @Test("a value that the mapping does not have is never guessed")
    func unexpected() throws {
        for (document, place) in [
            (["result": ["status": "found"]], "/result/status"), ([:], "/result/status"),
            ([], "/result/status"), (["result": ["status": ["FOUND"]]], "/result/status"),
            (["result": ["status": "FOUND"], "fields": ["given": "maybe"]], "/fields/given"),
            (["result": ["status": "FOUND"], "fields": ["0/line": 101]], "/fields/0~1line"),
            (["result": ["status": "FOUND"], "fields": ["0/line": -1]], "/fields/0~1line"),
            (["result": ["status": "FOUND"], "fields": ["0/line": "9"]], "/fields/0~1line"),
            (["result": ["status": "FOUND"], "alerts": [["a": 1]]], "/alerts"),
        ] as [(JSONValue, String)] {
            #expect(throws: IdentitySourceError.invalidAnswer(place)) {
                try mapping().answer(document)
            }
        }
        #expect(throws: IdentitySourceError.unavailable) {
            try mapping().answer(["result": ["status": false]])
        }
    }

    @Test("errors name the place in the mapping")
    func errors() throws {
        func error(_ changed: [String: JSONValue?]) throws -> String {
            var value = try #require(Self.json.objectValue)
            for (key, change) in changed { value[key] = change }
            do { _ = try mapping(.object(value)) } catch { return "\(error)" }
            return "no error"
        }
        #expect(try error([:]) == "no error")
        for (changed, wanted) in [
            (["nmae": "x"], "nmae: unknown key"), (["name": nil], "name: expected"),
            (["name": "registry"], "name: expected"),
            (["send": [:]], "send: names no field"), (["send": nil], "send: expected an object"),
            (["send": ["firstName": "given"]], "send.firstName: expected a JSON pointer"),
            (["send": ["firstName": "/a~2"]], "send.firstName: expected a JSON pointer"),
            (["send": ["forename": "/a"]], "send.forename: unknown key"),
            (
                ["send": ["firstName": "/a", "lastName": "/a/b"]],
                "send.lastName: is the same place as send.firstName"
            ),
            (
                ["send": ["firstName": "/product"]],
                "constants./product: is the same place as send.firstName"
            ),
            (["constants": ["product": 1]], "constants.product: expected a JSON pointer"),
            (["outcome": nil], "fields: without outcome"),
            (["outcome": ["at": "/a", "values": ["x": "differs"]]], "outcome.values: no value"),
            (["outcome": ["at": "/a", "values": ["x": "yes"]]], "outcome.values.x: expected"),
            (["outcome": ["values": ["x": "agrees"]]], "outcome.at: expected a JSON pointer"),
            (["fields": ["city": ["at": "/a"]]], "fields.city: expected either"),
            (["fields": ["city": ["at": "/a", "of": 0]]], "fields.city.of: must be above 0"),
            (
                ["fields": ["city": ["at": "/a", "values": ["x": 2]]]],
                "fields.city.values.x: expected a number"
            ),
            (["fields": ["country": ["at": "/a"]]], "fields.country: unknown key"),
            (["marks": ["deceased": ["at": "/a", "values": "x"]]], "marks.deceased.values"),
        ] as [([String: JSONValue?], String)] {
            let found = try error(changed)
            #expect(found.hasPrefix(wanted), "\(changed): \(found)")
        }
        #expect(throws: HTTPSourceMappingError.self) {
            try HTTPSourceMapping(json: Array(repeating: 0x20, count: 70_000))
        }
    }
}
