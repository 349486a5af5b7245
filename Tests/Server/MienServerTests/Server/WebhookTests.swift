import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Synchronization
import Testing

@testable import MienJourney
@testable import MienServer

@Suite(
    "Webhooks with a real receiver", .enabled(if: Peer.isThere, Peer.reason), .serialized,
    .timeLimit(.minutes(15)))
struct WebhookTests {
    private static let secret = "a secret of the receiver's as well"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func caller(
        _ hosts: String, private isPrivate: Bool = true, ca: String = "", secret: String = secret,
        former: String = ""
    ) throws -> WebhookCaller {
        try WebhookCaller(
            ServerConfiguration(
                environment: [
                    "MIEN_WEBHOOK_HOSTS": hosts, "MIEN_WEBHOOK_ALLOW_PRIVATE": "\(isPrivate)",
                    "MIEN_WEBHOOK_SECRET": secret, "MIEN_WEBHOOK_FORMER_SECRET": former,
                    "MIEN_WEBHOOK_CA": ca,
                ], home: scratch.url), clock: .system)
    }

    private func call(
        _ caller: WebhookCaller, _ url: String, _ body: [String: JSONValue] = ["amount": 12],
        seconds: Int = 20, turn: Int = 3
    ) async throws -> EffectAnswer {
        try await caller.call(
            WebhookCall(url: url, body: Sensitive(body), timeoutSeconds: seconds),
            run: #require(InstanceID("run_1")), turn: turn,
            app: #require(AppID("shop")))
    }

    private static func hook(_ settings: [String: JSONValue] = [:]) throws -> Peer {
        let page: JSONValue = .string(Peer.repository.appending(path: "docs/webhooks.md").path)
        return try Peer("hook", ["page": page, "secret": .string(secret)].merging(settings) { $1 })
    }

    // MARK: Requests

    @Test("the receiver verifies the signature with the documented code and gets the expected body")
    func signature() async throws {
        let peer = try Self.hook(), port = try await peer.port()
        let body: [String: JSONValue] = [
            "amount": 12, "name": "Ада “🚀”\n", "list": [1, nil, ["a": true]],
        ]
        let answer = try await call(caller("localhost"), "http://localhost:\(port)/ok?x=1", body)
        #expect(answer == .webhookAnswered(status: 200, body: ["decision": "allow", "score": 0.5]))
        let seen = try await peer.next(with: "path")
        #expect(
            seen["valid"] == true && seen["body"] == .object(body) && seen["path"] == "/ok?x=1"
                && seen["method"] == "POST")
        #expect(
            seen["headers"]?["mien-app"] == "shop"
                && seen["headers"]?["content-type"] == "application/json")
        #expect(seen["headers"]?["host"] == .string("localhost:\(port)"))

        _ = try await call(
            caller("localhost", secret: "another secret of 32 characters ..."),
            "http://localhost:\(port)/ok")
        #expect(try await peer.next(with: "path")["valid"] == false, "another secret")
        var late = try caller("localhost")
        late.clock = ServerClock { ServerClock.system.now - .seconds(301) }
        _ = try await call(late, "http://localhost:\(port)/ok")
        #expect(try await peer.next(with: "path")["valid"] == false, "too old")
    }

    @Test("retries of a delivery keep its ID; other deliveries have other IDs")
    func deliveries() async throws {
        let peer = try Self.hook(), port = try await peer.port(), caller = try caller("localhost")
        let answer = try await call(caller, "http://localhost:\(port)/busy-then-ok/2")
        #expect(answer == .webhookAnswered(status: 200, body: [:]))
        var ids: [String] = []
        for _ in 1...3 {
            let seen = try await peer.next(with: "path")
            #expect(seen["valid"] == true)
            ids.append(try #require(seen["headers"]?["mien-delivery"]?.stringValue))
        }
        #expect(Set(ids).count == 1)
        for (body, turn) in [(12, 3), (13, 3), (12, 4)] {
            _ = try await call(
                caller, "http://localhost:\(port)/ok", ["amount": .number(Double(body))], turn: turn
            )
            ids.append(
                try #require(
                    try await peer.next(with: "path")["headers"]?["mien-delivery"]?.stringValue))
        }
        #expect(ids[3] == ids[0], "the same call repeated")
        #expect(Set(ids).count == 3, "another body and another turn")
    }

    @Test(
        "temporary failures are tried three times, other failures once",
        arguments: [
            ("drop", 3), ("status/502", 3), ("status/429", 3), ("status/500", 1), ("status/404", 1),
            ("big", 1),
        ])
    func tries(path: String, count: Int) async throws {
        let peer = try Self.hook(), port = try await peer.port()
        let answer = try await call(caller("localhost"), "http://localhost:\(port)/\(path)")
        if path.hasPrefix("status/") {
            #expect(
                answer == .webhookAnswered(status: try #require(Int(path.dropFirst(7))), body: [:]))
        } else {
            #expect(answer == .refused(.webhookFailed))
        }
        // The peer reports a request slightly after the caller has its answer. Once the peer has
        // ended, no more reports follow.
        for _ in 0..<count { _ = try await peer.next(with: "path") }
        #expect(try await peer.end().count { $0["path"] != nil } == count)
    }

    // MARK: Responses

    @Test(
        "a response that is not JSON is treated as no value",
        arguments: [("text", 200), ("empty", 204), ("deep", 200)])
    func noJSON(path: String, status: Int) async throws {
        let peer = try Self.hook(), port = try await peer.port()
        let answer = try await call(caller("localhost"), "http://localhost:\(port)/\(path)")
        #expect(answer == .webhookAnswered(status: status, body: .null))
    }

    @Test("a redirect is a response and is not followed")
    func redirect() async throws {
        let peer = try Self.hook(), port = try await peer.port()
        let answer = try await call(caller("localhost"), "http://localhost:\(port)/redirect")
        #expect(answer == .webhookAnswered(status: 307, body: .null))
        _ = try await peer.next(with: "path")
        #expect(try await peer.end().compactMap { $0["path"] } == ["/redirect"])
    }

    @Test("an endless response is cut off", arguments: ["endless"])
    func endless(path: String) async throws {
        let peer = try Self.hook(), port = try await peer.port()
        #expect(
            try await call(caller("localhost"), "http://localhost:\(port)/\(path)")
                == .refused(.webhookFailed))
        // Part of it is in the system's buffers.
        #expect(try #require(try await peer.next(with: "chunks")["chunks"]?.numberValue) < 5000)
    }

    @Test(
        "a silent or trickling response ends at the step's timeout",
        arguments: ["hang", "drip"])
    func slow(path: String) async throws {
        let peer = try Self.hook(), port = try await peer.port()
        #expect(
            try await call(caller("localhost"), "http://localhost:\(port)/\(path)", seconds: 1)
                == .refused(.webhookFailed))
        _ = try await peer.next(with: "path")
        if path == "drip" {
            #expect(
                try #require(try await peer.next(with: "dripped")["dripped"]?.numberValue) < 600)
        }
        #expect(try await peer.end().count { $0["path"] != nil } == 1)
    }

    @Test(arguments: [true, false])
    func `during a rotation, receivers of either secret accept a call`(isNew: Bool) async throws {
        let other = "another secret, which is long enough"
        let peer = try Self.hook(), port = try await peer.port()
        let caller = try caller(
            "localhost", secret: isNew ? Self.secret : other, former: isNew ? other : Self.secret)
        _ = try await call(caller, "http://localhost:\(port)/ok")
        let seen = try await peer.next(with: "path")
        #expect(seen["valid"] == true)
        // Receivers of earlier versions look at the last signature only.
        let header = try #require(seen["headers"]?["mien-signature"]?.stringValue)
        #expect(header.split(separator: ",").map { $0.prefix(2) } == ["t=", "v1", "v1"])
    }

    @Test func `an answer whose body has no use is not read`() async throws {
        let peer = try Self.hook(), port = try await peer.port(), caller = try caller("localhost")
        let app = try #require(AppID("shop"))
        for path in ["big", "endless", "deep"] {
            let url = "http://localhost:\(port)/\(path)"
            #expect(
                await caller.notify("{}", id: "dlv_1", app: app, at: url, within: .seconds(60))
                    == .answered(200))
            #expect(
                await caller.probe(
                    .json("{}", id: "dlv_2", app: app), at: url, within: .seconds(60))
                    == .answered(200))
        }
    }

    @Test func `an endless answer over TLS is dropped, without a farewell`() async throws {
        let folder = try await Peer.certificates(in: scratch)
        let peer = try Self.hook([
            "certificate": .string(folder.appending(path: "localhost.pem").path),
            "key": .string(folder.appending(path: "localhost.key").path),
        ])
        let caller = try caller("localhost", ca: folder.appending(path: "ca.pem").path)
        #expect(
            try await call(caller, "https://localhost:\(try await peer.port())/endless")
                == .refused(.webhookFailed))
        #expect(
            try #require(try await peer.next(with: "chunks")["chunks"]?.numberValue) < 10_000)
    }

    @Test(arguments: ["hang", "drip", "handshake"])
    func `a call over TLS ends at its limit, whatever the receiver waits for`(path: String)
        async throws
    {
        let folder = try await Peer.certificates(in: scratch)
        let peer = try Self.hook([
            "certificate": .string(folder.appending(path: "localhost.pem").path),
            "key": .string(folder.appending(path: "localhost.key").path),
        ])
        // Reads the first bytes of the handshake as a request that does not end.
        let mute = try StubService()
        let caller = try caller("localhost", ca: folder.appending(path: "ca.pem").path)
        let port = path == "handshake" ? mute.port : try await peer.port()
        let url = "https://localhost:\(port)/\(path)", app = try #require(AppID("shop"))
        let begun = ContinuousClock.now
        #expect(try await call(caller, url, seconds: 2) == .refused(.webhookFailed))
        // A farewell, or another limit, would take 5 s longer.
        #expect(ContinuousClock.now - begun < .seconds(6))
        if path != "handshake" { _ = try await peer.next(with: "path") }
        guard path != "drip" else { return }
        let again = ContinuousClock.now
        #expect(
            await caller.notify("{}", id: "dlv_1", app: app, at: url, within: .seconds(2))
                == .failed)
        #expect(ContinuousClock.now - again < .seconds(6))
    }

    // MARK: Hosts

    @Test(
        "every address of a host is tried, and each is checked",
        arguments: [
            (["::1", "127.0.0.1"], true, true), (["127.0.0.1", "::1"], true, true),
            // Nobody answers at an address for documentation.
            (["192.0.2.1", "127.0.0.1"], true, true),
            (["192.0.2.1", "2001:db8::1", "::1", "127.0.0.1"], true, true),
            (["10.0.0.1", "127.0.0.1"], false, false), (["127.0.0.1", "::1"], false, false),
        ])
    func addresses(found: [String], mayBePrivate: Bool, isReached: Bool) async throws {
        let folder = try await Peer.certificates(in: scratch)
        let peer = try Self.hook([
            "certificate": .string(folder.appending(path: "localhost.pem").path),
            "key": .string(folder.appending(path: "localhost.key").path),
        ])
        var caller = try caller(
            "hooks.test", private: mayBePrivate, ca: folder.appending(path: "ca.pem").path)
        caller.lookUp = { _, _ in found }
        let reply = try await call(caller, "https://hooks.test:\(try await peer.port())/ok")
        if isReached {
            #expect(
                reply == .webhookAnswered(status: 200, body: ["decision": "allow", "score": 0.5]))
        } else {
            #expect(reply == .refused(.notAllowed))
            #expect(!peer.all.contains { $0["connected"] != nil })
        }
    }

    @Test func `addresses of both families take turns, and none is tried twice`() async throws {
        #expect(
            HostAddresses.inTurn([["a", "b", "c"], ["1", "a", "2"]]) == ["a", "1", "b", "c", "2"])
        #expect(HostAddresses.inTurn([]) == [])
        // Private addresses in front leave room for those that may be called.
        let many = (1...9).map { "10.0.0.\($0)" } + ["1.1.1.1"]
        #expect(HostAddresses.inTurn([many]).filter(PublicAddress.contains) == ["1.1.1.1"])
        #expect(try await HostAddresses.resolve("127.0.0.1", port: 1) == ["127.0.0.1"])
        await #expect(throws: (any Error).self) {
            try await HostAddresses.resolve("nobody.invalid", port: 1)
        }
    }

    @Test("a host that is not on the list is not even resolved")
    func unlisted() async throws {
        let peer = try Self.hook(), port = try await peer.port()
        var caller = try caller("hooks.test,127.0.0.1")
        caller.lookUp = { host, _ in
            Issue.record("\(host) was resolved")
            return ["127.0.0.1"]
        }
        for url in [
            "http://localhost:\(port)/", "http://hooks.test.localhost:\(port)/",
            "http://xhooks.test:\(port)/", "http://hooks.test.:\(port)/",
            "http://127.0.0.1@localhost:\(port)/", "http://hooks.test:secret@localhost:\(port)/",
            "ftp://127.0.0.1:\(port)/", "http:///", "",
            "http://[",
            "http://hooks.test%00.localhost:\(port)/", "http+unix://127.0.0.1/x",
            "http://2130706433:\(port)/", "http://127.1:\(port)/",
        ] { #expect(try await call(caller, url) == .refused(.notAllowed), "\(url)") }
        #expect(!peer.all.contains { $0["connected"] != nil })
    }

    @Test(
        "the local machine and private networks are refused in every spelling",
        arguments: [
            "localhost", "127.0.0.1", "127.1", "2130706433", "0177.0.0.1", "017700000001",
            "0x7f000001", "0x7f.1", "127.255.255.254", "0.0.0.0", "0",
            "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
            "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]",
            "[fd00::1]",
            "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
            "255.255.255.255",
        ])
    func spelled(host: String) async throws {
        let peer = try Self.hook(), port = try await peer.port()
        let caller = try caller(host, private: false)
        #expect(
            try await call(caller, "https://\(host):\(port)/ok", seconds: 5)
                == .refused(.notAllowed))
        #expect(
            try await call(caller, "http://\(host):\(port)/ok", seconds: 5)
                == .refused(.notAllowed), "unencrypted")
        #expect(!peer.all.contains { $0["connected"] != nil })
    }

    @Test(
        "a name is resolved once, its address is checked, and the connection goes to that address",
        arguments: [
            "hooks.test", "HOOKS.Test", "hooks%2Etest",
        ])
    func names(spelling: String) async throws {
        let folder = try await Peer.certificates(in: scratch),
            ca = folder.appending(path: "ca.pem").path
        let peer = try Self.hook([
            "certificate": .string(folder.appending(path: "localhost.pem").path),
            "key": .string(folder.appending(path: "localhost.key").path),
        ])
        let port = try await peer.port(), url = "https://\(spelling):\(port)/ok"
        let asked = Mutex<[String]>([])
        var caller = try caller("hooks.test", private: false, ca: ca)
        // The first resolved address is checked. A second resolution would return a private
        // address.
        caller.lookUp = { host, _ in
            asked.withLock { asked in
                asked.append(host)
                return asked.count == 1 ? ["10.0.0.1", "fd00::1"] : ["127.0.0.1"]
            }
        }
        #expect(try await call(caller, url) == .refused(.notAllowed))
        #expect(asked.withLock { $0 } == ["hooks.test"])
        #expect(!peer.all.contains { $0["connected"] != nil })

        // No name server knows hooks.test, so a connection proves that the resolved address was
        // used.
        var open = try self.caller("hooks.test", ca: ca)
        asked.withLock { $0 = [] }
        open.lookUp = { host, _ in
            asked.withLock { $0.append(host) }
            return ["127.0.0.1"]
        }
        guard case .webhookAnswered(status: 200, _) = try await call(open, url) else {
            Issue.record("not reached")
            return
        }
        #expect(asked.withLock { $0 } == ["hooks.test"])
        #expect(try await peer.next(with: "path")["valid"] == true)
    }

    @Test(
        "a receiver with an invalid certificate gets no part of the call"
    )
    func certificates() async throws {
        let folder = try await Peer.certificates(in: scratch),
            ca = folder.appending(path: "ca.pem").path
        for (certificate, authorities) in [("elsewhere", ca), ("expired", ca), ("localhost", "")] {
            let peer = try Self.hook([
                "certificate": .string(folder.appending(path: "\(certificate).pem").path),
                "key": .string(folder.appending(path: "\(certificate).key").path),
            ])
            let url = "https://localhost:\(try await peer.port())/ok"
            #expect(
                try await call(caller("localhost", ca: authorities), url)
                    == .refused(.webhookFailed), "\(certificate)")
            #expect(!peer.all.contains { $0["path"] != nil })
        }
    }

    // MARK: Journey

    @Test(
        "a journey calls a webhook and follows its response",
        .enabled(if: Installed.isThere, Installed.reason))
    func journey() async throws {
        let folder = try await Peer.certificates(in: scratch)
        let peer = try Self.hook([
            "certificate": .string(folder.appending(path: "localhost.pem").path),
            "key": .string(folder.appending(path: "localhost.key").path),
        ])
        let port = try await peer.port()
        let settings = [
            "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
            "MIEN_WEBHOOK_SECRET": Self.secret,
            "MIEN_WEBHOOK_CA": folder.appending(path: "ca.pem").path,
        ]
        try await TestServer.run(
            in: scratch, settings: settings, time: HandClock(ServerClock.system.now)
        ) { server in
            try await server.makeUser()
            for (id, path, ends) in [
                ("asks", "ok", JourneyStepID.success), ("asks-in-vain", "status/403", .rejection),
            ] {
                let definition = """
                    {"id": "\(id)", "version": 1, "title": "Ask", "start": "form", "steps": {
                      "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
                      "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                        "failure_behavior": "abort"}, "on": {"success": "ask"}},
                      "ask": {"type": "call_webhook", "config": {"url": "https://localhost:\(port)/\(path)", "body": {"name": "form.username"},
                        "output_variable": "answer", "failure_behavior": "abort"}, "on": {"success": "decide"}},
                      "decide": {"type": "condition", "config": {"expression": "answer.body.decision == 'allow'"},
                        "on": {"true": "done", "false": "no"}},
                      "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}
                    """
                let journeyID = try #require(JourneyID(id))
                _ = try await server.admin.putJourney(
                    journeyID, version: 1, definition: Array(definition.utf8))
                _ = try await server.admin.publishJourney(journeyID, version: 1)
                let journey = try await server.client().start(id)
                let end = try await journey.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
                #expect(end.journeyStepId == ends)
                let seen = try await peer.next(with: "path")
                #expect(
                    seen["valid"] == true && seen["body"] == ["name": "ada"]
                        && seen["path"] == .string("/" + path))
                #expect(seen["headers"]?["mien-trial"] == nil)
            }
            // A receiver can tell a trial, in which nobody signs in.
            _ = try await server.admin.createUser(
                UserRequest(
                    username: "test-ada", password: "a password nobody has", isTest: true))
            let trial = try await server.admin.startTrial(
                of: #require(JourneyID("asks")), version: 1,
                StartJourneyTrialRequest(appID: "default_application"))
            let done = try await server.admin.answerTrial(
                AnswerJourneyTrialRequest(
                    state: #require(trial.state), option: "password",
                    data: ["username": "test-ada", "password": "a password nobody has"]))
            #expect(done.completion != nil)
            let seen = try await peer.next(with: "path")
            #expect(seen["valid"] == true && seen["headers"]?["mien-trial"] == "1")
        }
    }
}

@Suite("Addresses of the public Internet")
struct PublicAddressTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "172.15.255.255",
        "172.32.0.0", "192.0.1.0", "192.167.255.255", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2001:200::1", "2a00::1",
        "2002:808:808::", "3ffe::1",
    ])
    func `is public`(address: String) { #expect(PublicAddress.contains(address)) }

    @Test(arguments: [
        "", "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0",
        "100.127.255.255", "127.0.0.1", "169.254.0.1", "172.16.0.0",
        "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.0", "198.18.0.1",
        "198.19.255.255", "198.51.100.1", "203.0.113.9",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:8.8.8.8", "::8.8.8.8",
        "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
        "2001::1",
        "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::", "3fff::1", "3fff:fff::1",
        "5f00::1", "fc00::1", "fdff::1", "fe80::1",
        "fe80::1%lo", "fec0::1", "ff02::1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.x",
        "localhost",
    ])
    func `is not public`(address: String) { #expect(!PublicAddress.contains(address)) }
}
