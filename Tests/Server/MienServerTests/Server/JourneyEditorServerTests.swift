import Foundation
import MienClient
import MienCore
import MienTesting
import Testing

@Suite("Routes for editors of journeys", .enabled(if: Installed.isThere, Installed.reason))
struct JourneyEditorServerTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func example(_ name: String) throws -> JSONValue {
        try JSONText.parse(
            [UInt8](
                Data(contentsOf: Repository.root.appending(path: "Examples/Journeys/\(name).json")))
        )
    }

    private struct Caller {
        let server: TestServer

        func callAsFunction(
            _ method: HTTPTransportRequest.Method, _ path: String, _ body: JSONValue? = nil
        )
            async throws -> (status: Int, body: JSONValue)
        {
            try await text(method, path, body.map { JSONText.write($0) } ?? "")
        }

        func text(_ method: HTTPTransportRequest.Method, _ path: String, _ body: String)
            async throws -> (
                status: Int, body: JSONValue
            )
        {
            try await server.send(
                method, "/v1/journeys/\(path)",
                headers: [
                    "authorization": "Bearer \(server.credential.use { $0 })",
                    "content-type": "application/json",
                ], body)
        }
    }
    @Test("types, findings, code, and simulations are answered for the example journeys")
    func answers() async throws {
        let login = try Self.example("password-login")
        try await TestServer.run(in: scratch) { server in
            let call = Caller(server: server)
            let types = try await call(.get, "steps")
            #expect(types.status == 200)
            let form = types.body["items"]?.arrayValue?.first { $0["type"] == "login_form" }
            #expect(form?["role"] == "client" && form?["example"]?["branches"] != nil)
            #expect(types.body["definitions"]?["expression"] != nil)

            let clean = try await call(.post, "check", ["definition": login])
            #expect(clean.status == 200 && clean.body["findings"] == [])
            let check = clean.body["steps"]?["check"]
            #expect(
                check?["outcomes"]?.arrayValue?.first { $0["id"] == "failure" }?["returns_to"]
                    == ["tries"])
            let variables = check?["variables"]?.arrayValue ?? []
            #expect(variables.contains { $0["path"] == "form.password" && $0["secret"] == true })
            let broken = try await call(.post, "check", ["definition": ["steps": ["a": 1]]])
            #expect(
                broken.status == 200
                    && broken.body["findings"]?.arrayValue?.contains {
                        $0["code"] == "invalid" && $0["step"] == "a"
                    } == true)

            let code = try await call(.post, "code", ["definition": login, "step": "form"])
            #expect(code.body["swift"]?.stringValue?.contains("enum Form") == true)
            #expect(code.body["typescript"]?.stringValue?.contains("form = {") == true)
            for step in ["check", "nothing", "a b", ""] {
                let refused = try await call(
                    .post, "code", ["definition": login, "step": .string(step)])
                #expect(refused.status == 400)
                #expect(refused.body["errors"]?.arrayValue?.first?["field"] == "step")
            }

            let world: JSONValue = ["users": [["username": "ada", "password": "hidden-7f3a"]]]
            let answer: JSONValue = [
                "option": "password", "data": ["username": "ada", "password": "hidden-7f3a"],
            ]
            let run = try await call(
                .post, "simulate", ["definition": login, "world": world, "answers": [answer]])
            #expect(run.status == 200 && run.body["completion"]?["amr"] == ["pwd"])
            #expect(!JSONText.write(run.body).contains("hidden-7f3a"))
            #expect(!server.logs.text.contains("hidden-7f3a"))
            let start = try await call(.post, "simulate", ["definition": login])
            #expect(
                start.body["prompt"]?["step"] == "form"
                    && start.body["turns"]?.arrayValue?.count == 1)
        }
    }

    @Test("bad input is refused with a problem document, however large, deep, or long")
    func badInput() async throws {
        let login = try Self.example("password-login")
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let huge = "{\"definition\": \"" + String(repeating: "a", count: 1024 * 1024) + "\"}"
        // Each step computes 50 long strings, as often as the journey may continue.
        let long = "'" + String(repeating: "x", count: 1000) + "'"
        let variables = Dictionary(
            uniqueKeysWithValues: (0..<50).map {
                (
                    "v\($0)",
                    JSONValue.string(
                        "size(\(long).replace('x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy')) > 0"
                    )
                )
            })
        let slow: JSONValue = [
            "id": "slow", "version": 1, "title": "Slow", "start": "a",
            "limits": ["max_steps": 1000],
            "steps": [
                "a": [
                    "type": "set_variables", "config": ["variables": .object(variables)],
                    "on": ["success": "a"],
                ],
                "ask": [
                    "type": "information", "config": ["text": "?"], "on": ["success": "a"],
                ],
            ],
        ]
        try await TestServer.run(in: scratch) { server in
            let call = Caller(server: server)
            for path in ["check", "code", "simulate"] {
                for (body, status) in [
                    ("", 400), ("{", 400), ("[]", 400), ("null", 400), ("{}", 400), (deep, 400),
                    ("{\"definition\": \(deep)}", 400), (huge, 413), ("{\"unknown\": 1}", 400),
                    ("{\"definition\": {}, \"step\": 1}", 400),
                ] {
                    let answer = try await call.text(.post, path, body)
                    // A draft may be anything.
                    #expect(
                        answer.status == status, "\(path) \(body.prefix(40)) \(answer.status)")
                    #expect(answer.body["code"] != nil && answer.body["title"] != nil)
                }
            }
            #expect(try await call(.post, "check", ["definition": .null]).status == 200)
            // As deep as the parser allows a body to be; the definition itself is then too deep.
            let nested = String(repeating: "[", count: 22) + String(repeating: "]", count: 22)
            let checked = try await call.text(.post, "check", "{\"definition\": \(nested)}")
            #expect(checked.status == 200 && checked.body["findings"]?.arrayValue?.count == 1)
            // The run ends by the journey's own limit or by the time of simulations.
            let run = try await call(.post, "simulate", ["definition": slow])
            #expect(run.status == 200 || run.status == 400, "\(run)")
            #expect(run.body["rejection"] != nil || run.body["errors"] != nil)
            for body: JSONValue in [
                ["definition": login, "answers": 1], ["definition": login, "answers": [1]],
                ["definition": login, "world": ["users": [["id": "a b"]]]],
                ["definition": login, "user": "nobody"],
                ["definition": login, "world": ["keys": ["k": ["kty": "EC"]]]],
            ] {
                let refused = try await call(.post, "simulate", body)
                #expect(refused.status == 400)
                #expect(refused.body["errors"]?.arrayValue?.first?["field"] != "")
            }
        }
    }

    @Test(
        "an incomplete draft is saved on request and cannot be published; a draft that somebody else has saved is not overwritten"
    )
    func drafts() async throws {
        let login = try Self.example("password-login")
        try await TestServer.run(in: scratch) { server in
            let call = Caller(server: server)
            var steps = login["steps"]?.objectValue ?? [:]
            steps["refused"] = nil
            var draft = login.objectValue ?? [:]
            draft["version"] = 9
            draft["steps"] = .object(steps)
            let path = "password-login/versions/9"
            #expect(try await call(.put, path, .object(draft)).status == 400)
            #expect(try await call(.put, "\(path)?incomplete=yes", .object(draft)).status == 400)
            let saved = try await call(.put, "\(path)?incomplete=true", .object(draft))
            #expect(saved.status == 201 && saved.body["state"] == "draft")
            #expect(try await call(.get, path).body == .object(draft))
            let published = try await call(.post, "\(path)/publish", [:])
            #expect(published.status == 400)
            #expect(published.body["errors"]?.arrayValue?.isEmpty == false)

            let time = try #require(saved.body["updated_at"]?.numberValue)
            let text = JSONText.number(time)
            server.time.advance(.seconds(1))
            draft["steps"] = login["steps"]
            for other in ["0", String(Int64(time) - 1)] {
                let refused = try await call(.put, "\(path)?if_updated_at=\(other)", .object(draft))
                #expect(refused.status == 409 && refused.body["code"] == "conflict")
            }
            #expect(
                try await call(.put, "\(path)?if_updated_at=now", .object(draft)).status == 400)
            #expect(
                try await call(.put, "\(path)?if_updated_at=\(text)", .object(draft)).status == 201)
            #expect(
                try await call(.put, "\(path)?if_updated_at=\(text)", .object(draft)).status == 409)
            draft["version"] = 10
            let next = "password-login/versions/10?if_updated_at=0"
            #expect(try await call(.put, next, .object(draft)).status == 201)
            #expect(try await call(.put, next, .object(draft)).status == 409)
            #expect(try await call(.post, "\(path)/publish", [:]).status == 200)
        }
    }

    @Test func `a journey that calls a host that is not listed is not published`() async throws {
        let settings = [
            "MIEN_WEBHOOK_HOSTS": "hooks.example",
            "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
        ]
        try await TestServer.run(in: scratch, settings: settings) { server in
            let call = Caller(server: server)
            for (host, isListed) in [("hooks.example", true), ("other.example", false)] {
                let id = isListed ? "listed" : "unlisted"
                let definition = """
                    {"id": "\(id)", "version": 1, "title": "Ask", "start": "form", "steps": {
                      "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
                      "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                        "failure_behavior": "abort"}, "on": {"success": "ask"}},
                      "ask": {"type": "call_webhook", "config": {"url": "https://\(host)/ok", "failure_behavior": "abort"},
                        "on": {"success": "done"}},
                      "done": {"type": "complete_journey"}}}
                    """
                let path = "\(id)/versions/1"
                func requireFault(_ answer: (status: Int, body: JSONValue)) throws {
                    let fault = try #require(answer.body["errors"]?.arrayValue?.first, "\(answer)")
                    #expect(answer.status == 400 && fault["field"] == "steps.ask")
                    #expect(fault["message"]?.stringValue?.contains("webhook.hosts") == true)
                }
                let saved = try await call.text(.put, path, definition)
                if isListed {
                    #expect(saved.status == 201, "\(saved)")
                } else {
                    try requireFault(saved)
                    let draft = try await call.text(
                        .put, path + "?incomplete=true", definition)
                    #expect(draft.status == 201, "\(draft)")
                }
                let published = try await call(.post, path + "/publish")
                if isListed {
                    #expect(published.status == 200, "\(published)")
                } else {
                    try requireFault(published)
                }
            }
        }
    }
}
