import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting
import Testing

/// `mien token …`, against a server of the test's own.
@Suite struct TokenCommandTests {
    private static let login = #"""
        {"id": "otp-login", "version": 1, "title": "Codes", "start": "form", "steps": {
          "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "check"}},
          "check": {"type": "authenticate_otp", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
          "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
        """#

    private static let password = "a password nobody has"
    private static let pay = """
        {"id": "pay", "version": 1, "title": "Pay", "start": "form", "steps": {
          "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
          "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"}, "on": {"success": "ask", "failure": "no"}},
          "ask": {"type": "transaction_approval_otp", "config": {
            "approval_data": {"amount": "'120.50'", "to": "'CH93'"}}, "on": {"success": "done", "failure": "no"}},
          "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
        """

    private static func signsIn(_ code: String, _ address: String) async throws -> Bool {
        let run = try await JourneyClient(MienOptions(serverPath: address)).start("otp-login")
        try await run.respond("email_code", ["user_identifier": "ada"])
        try await run.respond(.clientInput, ["passcode": .string(code)])
        if case .success = await run.outcome() { return true }
        return false
    }

    @Test(.needsPack)
    func
        `provisioned, used, upgraded, put under another PIN, removed: and the server has the last word on each code`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_SERVER": server.address, "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
                "MIEN_TPM": "none:",
            ]
            func run(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> MienProgram.Result {
                try await home.mien(arguments, settings: settings, input: input, at: location)
            }
            func json(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> [String: Any] {
                let result = try await home.mien(
                    arguments + ["--json"], settings: settings, input: input, at: location)
                #expect(result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
                return try result.json
            }
            func refused(
                _ status: Int32, _ code: String, _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws {
                let result = try await home.mien(
                    arguments + ["--json"], settings: settings, input: input, at: location)
                #expect(
                    try result.status == status && result.error.code == code,
                    "\(arguments): \(result)", sourceLocation: location)
            }
            func code(_ pin: String, _ more: String...) async throws -> String {
                let answer = try await home.mien(
                    ["token", "code"] + more + ["--json"], settings: settings, input: "\(pin)\n")
                return try #require(try answer.json["code"] as? String, "\(answer)")
            }
            func signsIn(_ code: String) async throws -> Bool {
                try await Self.signsIn(code, server.address)
            }

            _ = try await json(
                "admin", "user", "create", "--username", "ada", "--password-stdin",
                input: "\(Self.password)\n")
            _ = try await json(
                "journey", "import", try home.write(Self.login.utf8, as: "otp-login.json"),
                "--publish")
            func offered(_ kind: String) async throws -> String {
                let offer = try await json(
                    "admin", "authenticator", "offer-token", "ada", "default_application", "--kind",
                    kind, "--digits", "8")
                return try #require(offer["registration_code"] as? String)
            }

            // Provisioning.
            #expect(try await run("token", "list").out == "This device has no tokens.\n")
            let registration = try await offered("hotp")
            try await refused(2, "secret.missing", "token", "provision", input: "\n")
            try await refused(
                2, "token.weak-pin", "token", "provision", input: "\(registration)\n1234\n")
            try await refused(
                2, "token.code-refused", "token", "provision", input: "otc_x.y\n4711\n")
            let token = try await json(
                "token", "provision", "--name", "Ada's desk", input: "\(registration)\n4711\n")
            let id = try #require(token["id"] as? String)
            #expect(
                token["kind"] as? String == "hotp" && token["digits"] as? Int == 8
                    && token["multi_auth"] as? Bool == false)
            #expect(token["server"] as? String == server.address)
            // Once the token is saved, its key is deleted: the same code no longer works.
            try await refused(
                2, "token.code-refused", "token", "provision", input: "\(registration)\n4711\n")
            #expect(try await run("token", "list").out.contains(id))

            // Codes: right, used, from a wrong PIN.
            let first = try await code("4711")
            #expect(first.count == 8)
            #expect(try await signsIn(first))
            #expect(try await !signsIn(first))
            #expect(try await !signsIn(code("1147")))
            #expect(try await signsIn(code("4711", "default_application")))
            try await refused(2, "token.pin", "token", "code", input: "47a1\n")
            try await refused(2, "token.unknown", "token", "code", "elsewhere", input: "4711\n")

            // Signatures: of what is shown, and nothing else.
            let fields = ["account=CH93 0076 2011 6238 5295 7", "amount=120.50", "currency=chf"]
            let arguments =
                ["token", "sign", "--challenge", "000691234568"]
                + fields.flatMap { ["--data", $0] }
            let signed = try await home.mien(
                arguments + ["--json"], settings: settings, input: "4711\n")
            #expect(
                signed.status == 0 && signed.err.contains("Send money")
                    && signed.err.contains("account: CH9300762011623852957")
                    && signed.err.contains("amount: 120.5\n"), "\(signed)")
            #expect((try signed.json["response"] as? String)?.count == 8)
            let other = try await home.mien(
                arguments + ["--json"], settings: settings, input: "1147\n")
            #expect(try other.json["response"] as? String != signed.json["response"] as? String)
            try await refused(
                2, "signature.challenge", "token", "sign", "--challenge", "000691234567",
                input: "4711\n")
            try await refused(
                2, "signature.field", "token", "sign", "--challenge", "000691234568", "--data",
                "amount=1", input: "4711\n")
            try await refused(
                2, "signature.challenge", "token", "sign", "--challenge", "chl.x", "--data",
                "amount=1", input: "4711\n")

            // A time- or counter-based token answers no challenges, and signs no numbers.
            try await refused(
                2, "token.not-cap", "token", "code", "--challenge", "1234", input: "4711\n")
            try await refused(
                2, "token.not-cap", "token", "sign", "--number", "1000", input: "4711\n")

            // Approval of a transaction that another device has started.
            _ = try await json(
                "journey", "import", try home.write(Self.pay.utf8, as: "pay.json"), "--publish")
            for decline in [false, true] {
                let run = try await JourneyClient(MienOptions(serverPath: server.address)).start(
                    "pay")
                try await run.respond(
                    "password", ["username": "ada", "password": .string(Self.password)])
                let typed = try #require(
                    await run.response.data?["approval_code"]?.stringValue)
                let shown = try await home.mien(
                    ["token", "approve", typed, "--json"] + (decline ? ["--decline"] : []),
                    settings: settings, input: decline ? "" : "4711\n")
                #expect(
                    shown.status == 0
                        && shown.err.contains("default_application asks for approval:")
                        && shown.err.contains("  amount: 120.50\n  to: CH93\n"), "\(shown)")
                #expect(
                    try shown.json["decision"] as? String == (decline ? "declined" : "approved"))
                try await run.respond(.clientInput)
                if case .success = await run.outcome() {
                    #expect(!decline)
                } else {
                    #expect(decline)
                }
                try await refused(
                    2, "token.no-approval", "token", "approve", typed, input: "4711\n")
            }
            let waiting = try await JourneyClient(MienOptions(serverPath: server.address)).start(
                "pay")
            try await waiting.respond(
                "password", ["username": "ada", "password": .string(Self.password)])
            try await refused(
                3, "token.not-approved", "token", "approve",
                try #require(await waiting.response.data?["approval_code"]?.stringValue),
                input: "1147\n")

            // Modes.
            try await refused(
                2, "name.unknown", "token", "face", "on", "--name", "ada", input: "4711\n")
            try await refused(3, "token.not-confirmed", "token", "upgrade", id, input: "1147\n")
            let listed = try await json("token", "list")["tokens"] as? [[String: Any]]
            #expect(listed?.first?["multi_auth"] as? Bool == false, "nothing changed")
            let upgraded = try await json("token", "upgrade", id, input: "4711\n")
            #expect(upgraded["upgraded"] as? String == id)
            #expect(try await json("token", "face", "off")["multi_auth"] as? Bool == true)

            // A PIN change.
            #expect(
                try await json("token", "change-pin", input: "4711\n9038\n")["changed"] as? String
                    == id)
            #expect(try await !signsIn(code("4711")))
            #expect(try await signsIn(code("9038")))

            // A backup.
            let file = home.mienHome.appending(path: "tokens/tokens.sealed"),
                old = try Data(contentsOf: file)
            _ = try await code("9038")
            try old.write(to: file)
            try await refused(3, "token.restored", "token", "code", input: "9038\n")
            #expect(try await run("token", "list").out.contains("restored"))

            // A second token: commands need an ID; the first one is removed.
            let second = try await json("token", "provision", input: "\(offered("totp"))\n4711\n")
            try await refused(2, "token.ambiguous", "token", "code", input: "4711\n")
            #expect(try await json("token", "remove", id)["removed"] as? String == id)
            #expect(try await signsIn(code("4711")))
            #expect(second["kind"] as? String == "totp")
            #expect(try await run("token", "remove", "--all").status == 0)
            #expect(try await run("token", "list").out == "This device has no tokens.\n")
            #expect(try await run("token", "remove").status == 2)
        }
    }

    @Test(.needsPack)
    func `a CAP token signs in, answers a challenge, and signs numbers and transactions`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_SERVER": server.address, "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
                "MIEN_TPM": "none:",
            ]
            func run(_ arguments: [String], input: String = "") async throws -> MienProgram.Result {
                try await home.mien(arguments + ["--json"], settings: settings, input: input)
            }
            func json(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> [String: Any] {
                let result = try await run(arguments, input: input)
                #expect(result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
                return try result.json
            }
            func text(_ answer: [String: Any], _ name: String) throws -> String {
                try #require(answer[name] as? String, "\(answer)")
            }

            _ = try await json(
                "admin", "user", "create", "--username", "ada", "--password-stdin",
                input: "\(Self.password)\n")
            for (definition, name) in [(Self.login, "otp-login"), (Self.pay, "pay")] {
                _ = try await json(
                    "journey", "import", try home.write(definition.utf8, as: "\(name).json"),
                    "--publish")
            }
            let app = try await json(
                "admin", "app", "create", "Bank", "--id", "bank", "--confidential")
            for id in ["bank", "default_application"] {
                let offer = try await json(
                    "admin", "authenticator", "offer-token", "ada", id, "--kind", "cap")
                #expect(offer["digits"] as? Int == 8)
                let token = try await json(
                    "token", "provision", input: "\(text(offer, "registration_code"))\n4711\n")
                #expect(token["kind"] as? String == "cap" && token["digits"] as? Int == 8)
            }
            let few = try await run([
                "admin", "authenticator", "offer-token", "ada", "bank", "--kind", "cap",
                "--digits", "7",
            ])
            #expect(few.status == 2 && few.err.contains("8 to 10"), "\(few)")

            // The service of the app `bank`.
            let client = try text(app, "client_secret")
            func verify(_ passcode: String, _ more: [String: JSONValue] = [:]) async throws -> Bool
            {
                let body: [String: JSONValue] = [
                    "client_id": "bank", "client_secret": .string(client),
                    "user_identifier": "ada", "passcode": .string(passcode),
                ]
                let answer = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: .post, url: "\(server.address)/v1/otp/verify",
                        headers: ["content-type": "application/json"],
                        body: Array(JSONText.write(.object(body.merging(more) { $1 })).utf8)))
                return try JSONText.parse(answer.body) == ["valid": true]
            }
            let code = try await text(json("token", "code", "bank", input: "4711\n"), "code")
            #expect(code.count == 8)
            #expect(try await verify(code))
            #expect(try await !verify(code), "used")
            let wrong = try await text(json("token", "code", "bank", input: "1147\n"), "code")
            #expect(try await !verify(wrong), "a wrong PIN")

            let answered = try await text(
                json("token", "code", "bank", "--challenge", "1234", input: "4711\n"), "code")
            #expect(try await !verify(answered, ["cap_challenge": "4321"]))
            #expect(try await verify(answered, ["cap_challenge": "1234"]))

            let signed = try await run(
                ["token", "sign", "bank", "--number", "1000", "--number", "3101234567"],
                input: "4711\n")
            #expect(
                signed.status == 0 && signed.err.contains("  1: 1000\n  2: 3101234567\n"),
                "\(signed)")
            #expect(
                try await verify(
                    text(signed.json, "response"), ["cap_numbers": ["1000", "3101234567"]]))
            for (words, code) in [
                (["code", "bank", "--challenge", "0"], "cap.transaction"),
                (["sign", "bank", "--number", "x"], "cap.transaction"),
                (
                    ["sign", "bank"]
                        + Array(repeating: ["--number", "1"], count: 8).flatMap { $0 },
                    "cap.transaction"
                ),
            ] {
                let refused = try await run(["token"] + words, input: "4711\n")
                #expect(try refused.status == 2 && refused.error.code == code, "\(refused)")
            }
            for words in [
                ["sign", "bank"], ["sign", "bank", "--number", "1", "--challenge", "000691234568"],
                ["sign", "bank", "--number", "1", "--data", "amount=1"],
            ] {
                #expect(try await run(["token"] + words, input: "4711\n").status == 2)
            }

            // Signing in, and approving what another device has started.
            #expect(
                try await Self.signsIn(
                    text(json("token", "code", "default_application", input: "4711\n"), "code"),
                    server.address))
            let waiting = try await JourneyClient(MienOptions(serverPath: server.address)).start(
                "pay")
            try await waiting.respond(
                "password", ["username": "ada", "password": .string(Self.password)])
            let typed = try #require(await waiting.response.data?["approval_code"]?.stringValue)
            let approved = try await json(
                "token", "approve", typed, "default_application", input: "4711\n")
            #expect(approved["decision"] as? String == "approved")
            try await waiting.respond(.clientInput)
            guard case .success = await waiting.outcome() else {
                Issue.record("the approval did not count")
                return
            }

            // The server checks the PIN before anything changes.
            let refused = try await run(["token", "upgrade", "bank"], input: "1147\n")
            #expect(try refused.error.code == "token.not-confirmed")
            #expect(
                try await json("token", "upgrade", "bank", input: "4711\n")["upgraded"] != nil)
        }
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `a live face unlocks a token, a picture never does, and removal ends it`(pack: String)
        async throws
    {
        let home = try TemporaryHome(pack: pack)
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_SERVER": server.address, "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
                "MIEN_TPM": "none:",
            ]
            func json(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> [String: Any] {
                let result = try await home.mien(
                    arguments + ["--json"], settings: settings, input: input, at: location)
                #expect(result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
                return try result.json
            }
            _ = try await json(
                "admin", "user", "create", "--username", "ada", "--password-stdin",
                input: "\(Self.password)\n")
            let offer = try await json(
                "admin", "authenticator", "offer-token", "ada", "default_application", "--kind",
                "hotp")
            _ = try await json(
                "token", "provision",
                input: "\(try #require(offer["registration_code"] as? String))\n4711\n")
            let clips = try await ClipMaker(home)
            let (clip, _) = try await clips.enrollment(
                EnrollmentSettings(
                    mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2),
                as: "blink.mkv")
            func enrollLive(_ name: String, _ clip: String) async throws {
                let answer = try await json(
                    "face", "enroll", name, "--video", clip, "--mode", "passive", "--frames", "2",
                    input: "9038\n")
                #expect(answer["unlocks"] as? Bool == true)
            }
            try await enrollLive("ada", clip)
            let early = try await home.mien(
                ["token", "face", "on", "--name", "ada", "--json"], settings: settings,
                input: "4711\n")
            #expect(try early.status == 2 && early.error.code == "token.not-multi-auth")
            _ = try await json("token", "upgrade", input: "4711\n")
            #expect(
                try await json("token", "face", "on", "--name", "ada", input: "4711\n")["face"]
                    as? Bool == true)
            // A person who keeps still and blinks unlocks it only in passive mode. Random actions
            // include a turn.
            _ = try await json(
                "journey", "import", try home.write(Self.login.utf8, as: "otp-login.json"),
                "--publish")
            let opened = try await json(
                "token", "code", "--name", "ada", "--video", clip, "--mode", "passive")
            #expect(try await Self.signsIn(#require(opened["code"] as? String), server.address))
            // The face signs what is shown, as the PIN does.
            func signed(_ more: [String], input: String = "") async throws -> String? {
                let result = try await home.mien(
                    ["token", "sign", "--challenge", "000691234568", "--json"]
                        + ["account=CH9300762011623852957", "amount=120.50", "currency=CHF"]
                        .flatMap { ["--data", $0] } + more, settings: settings, input: input)
                #expect(result.status == 0 && result.err.contains("Send money"), "\(result)")
                return try result.json["response"] as? String
            }
            let byPIN = try await signed([], input: "4711\n")
            #expect(
                try await signed(["--name", "ada", "--video", clip, "--mode", "passive"]) == byPIN
                    && byPIN?.count == 8)
            _ = try await json(
                "journey", "import", try home.write(Self.pay.utf8, as: "pay.json"), "--publish")
            let payment = try await JourneyClient(MienOptions(serverPath: server.address)).start(
                "pay")
            try await payment.respond(
                "password", ["username": "ada", "password": .string(Self.password)])
            let approved = try await json(
                "token", "approve",
                try #require(await payment.response.data?["approval_code"]?.stringValue), "--name",
                "ada", "--video", clip, "--mode", "passive")
            #expect(approved["decision"] as? String == "approved")
            try await payment.respond(.clientInput)
            guard case .success = await payment.outcome() else {
                Issue.record("a transaction approved by a face was refused")
                return
            }
            let recorded = try await home.mien(
                ["token", "code", "--name", "ada", "--video", clip, "--json"], settings: settings)
            #expect(
                recorded.status == 1 && recorded.out.isEmpty && recorded.err.contains("no code:"),
                "\(recorded)")
            // A still picture as a video, without a blink.
            let still = home.files.appending(path: "still.mkv")
            let picture = try ImageFile.decode(home.photo("obama"))
            try MovieMaker(.mkv).write(Array(repeating: picture, count: 40), to: still)
            let answer = try await home.mien(
                ["token", "code", "--name", "ada", "--video", still.path, "--json"],
                settings: settings)
            #expect(
                answer.status == 1 && answer.out.isEmpty && answer.err.contains("no code:"),
                "\(answer)")
            // Failed attempts with a verdict are counted until the face is locked. The PIN
            // activates it again.
            try await enrollLive("joe", clip)
            let unblinking = try clips.unblinking(as: "unblinking.mkv")
            func look() async throws -> MienProgram.Result {
                try await home.mien(
                    [
                        "token", "code", "--name", "joe", "--video", unblinking, "--mode",
                        "passive", "--json",
                    ], settings: settings)
            }
            for _ in 0..<5 { #expect(try await look().status == 1) }
            let locked = try await look()
            #expect(try locked.status == 3 && locked.error.code == "face.locked-out", "\(locked)")
            for name in ["joe", "ada"] {
                #expect(
                    try await json("token", "face", "on", "--name", name, input: "4711\n")["face"]
                        as? Bool == true)
                if name == "joe" { #expect(try await look().status == 1) }
            }
            func mode() async throws -> Bool? {
                try #require(try await json("token", "list")["tokens"] as? [[String: Any]]).first?[
                    "face"] as? Bool
            }
            #expect(try await mode() == true)
            _ = try await json("face", "enroll", "ada", home.photo("obama2"))
            #expect(try await mode() == false)
            // A face from photos unlocks nothing.
            for words in [
                ["token", "face", "on", "--name", "ada"],
                ["token", "code", "--name", "ada", "--video", clip, "--mode", "passive"],
            ] {
                let refused = try await home.mien(
                    words + ["--json"], settings: settings, input: "4711\n")
                #expect(
                    try refused.status == 3 && refused.error.code == "face.not-confirmed",
                    "\(refused)")
            }
            try await enrollLive("ada", clip)
            _ = try await json("token", "face", "on", "--name", "ada", input: "4711\n")
            #expect(try await mode() == true)
            _ = try await json("face", "remove", "ada")
            #expect(try await mode() == false)
        }
    }

    @Test(arguments: [
        (["--mode", "image", "--name", "ada"], "--mode"), (["--mode", "passive"], "--name"),
        (["--video", "clip.mp4"], "--name"),
        (["--video", "clip.mp4", "--camera", "front", "--name", "ada"], "--camera"),
    ])
    func `a picture unlocks no token, and face options need a name`(
        words: [String], named: String
    ) async throws {
        let home = try TemporaryHome(hasPack: false),
            result = try await home.mien(["token", "code"] + words)
        #expect(result.status == 2 && result.out.isEmpty && result.err.contains(named), "\(result)")
    }
}
