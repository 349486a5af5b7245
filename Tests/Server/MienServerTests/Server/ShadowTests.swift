import Foundation
import MienClient
import MienCore
import MienFace
import MienModels
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

/// The packs that the tests of shadow mode need.
private enum TwoPacks {
    static let active = "mien-default-2", second = "mien-basic-1"
    static let areThere =
        Installed.isThere
        && [active, second].allSatisfy {
            FileManager.default.fileExists(
                atPath: Installed.home.packs.appending(path: "\($0)/manifest.json").path)
        }
}

/// Tests a second pack or threshold beside the active one, on a real server with real photos.
@Suite("Shadow mode", .enabled(if: TwoPacks.areThere, "needs two model packs: run scripts/setup"))
struct ShadowTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func run(
        _ settings: [String: String], credential: Sensitive<String>? = nil,
        time: HandClock = HandClock(), reader: (any LiveFrameReader)? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch,
            settings: ["MIEN_FACE_PACK": TwoPacks.active].merging(settings) { $1 }, time: time,
            credential: credential, reader: reader, body)
    }

    private static func metrics(_ server: TestServer) async throws -> [String] {
        String(
            decoding: try await AsyncHTTPTransport().send(
                .init(method: .get, url: server.url("/metrics"))
            ).body, as: UTF8.self
        ).split(separator: "\n").map(String.init)
    }

    /// Returns the shadow's counts of a policy, by the real decision and its own.
    private static func decisions(_ policy: String, _ server: TestServer) async throws
        -> [String: Int]
    {
        var counts: [String: Int] = [:]
        for line in try await metrics(server) {
            guard
                let (_, name, active, shadow, count) = line.wholeMatch(
                    of:
                        /mien_face_shadow_decisions_total\{policy="(\w+)",app="default_application",camera="(?:[0-9x]+|other)",active="(\w+)",shadow="(\w+)"\} (\d+)/
                )?.output, name == policy
            else { continue }
            counts["\(active) \(shadow)", default: 0] += Int(count) ?? 0
        }
        return counts
    }

    private static func templates(_ server: TestServer) async throws -> Int {
        try await server.server.parts.store.read {
            Int(
                try $0.connection.rows("SELECT COUNT(*) FROM shadow_template", [])[0].integer(0))
        }
    }

    @Test("a second pack judges each login from its own template and decides nothing")
    func pack() async throws {
        try await run(["MIEN_FACE_SHADOW_PACK": TwoPacks.second]) { server in
            let user = try await server.makeUser()
            _ = try await server.registerFace()
            #expect(try await server.logIn(photo: "obama2") != nil)
            #expect(try await server.logIn(photo: "biden") == nil)
            #expect(try await server.logIn("nobody", photo: "obama2") == nil)
            let counts = try await Self.decisions("pack", server)
            #expect(counts == ["accepted accepted": 1, "refused refused": 1])
            let face = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.face) })
            #expect(
                face.info["pack"] == .string(TwoPacks.active), "the active pack's template stays")
            try await server.admin.withdrawConsent(of: user, to: AppID("default_application")!)
            #expect(
                try await Self.templates(server) == 0,
                "withdrawing consent deletes the second template")
        }
    }

    @Test(
        "people enrolled before are learned from logins that passed; without the setting, their second templates are deleted"
    )
    func learning() async throws {
        let time = HandClock(), (credentials, given) = AsyncStream<Sensitive<String>>.makeStream()
        try await run([:], time: time) { server in
            try await server.makeUser()
            _ = try await server.registerFace()
            #expect(try await server.logIn(photo: "obama2") != nil)
            #expect(try await Self.decisions("pack", server) == [:])
            given.yield(server.credential)
        }
        let credential = try #require(await credentials.first { _ in true })
        try await run(
            ["MIEN_FACE_SHADOW_PACK": TwoPacks.second], credential: credential, time: time
        ) { server in
            let refused = try await server.logIn(photo: "biden")
            #expect(refused == nil)
            #expect(try await Self.templates(server) == 0, "a refused face is not learned")
            #expect(try await server.logIn(photo: "obama2") != nil)
            #expect(try await Self.templates(server) == 1)
            #expect(try await server.logIn(photo: "obama3") != nil)
            #expect(
                try await Self.decisions("pack", server)
                    == ["refused learning": 1, "accepted learning": 1, "accepted accepted": 1])
        }
        try await run([:], credential: credential, time: time) { server in
            let left = try await Self.templates(server)
            #expect(left == 0)
            #expect(try await server.logIn(photo: "obama2") != nil)
        }
    }

    @Test("a second threshold judges the same scores; the metrics hold bands, no scores")
    func threshold() async throws {
        try await run(["MIEN_FACE_SHADOW_THRESHOLD": "72"]) { server in
            try await server.makeUser()
            _ = try await server.registerFace()
            #expect(try await server.logIn(photo: "obama2") != nil)
            #expect(try await server.logIn(photo: "obama") != nil)
            #expect(try await server.logIn(photo: "biden") == nil)
            let counts = try await Self.decisions("threshold", server)
            #expect(counts.values.reduce(0, +) == 3 && counts["refused refused"] == 1)
            #expect(counts["accepted accepted"] ?? 0 >= 1, "the same photo scores 72")
            #expect(try await Self.decisions("pack", server) == [:])
            let bands = try await Self.metrics(server).filter {
                $0.hasPrefix("mien_face_scores_total{")
            }
            #expect(
                bands.allSatisfy {
                    $0.contains(/from="(0|12|24|36|48|60|72)"/)
                        && $0.contains(/camera="([0-9]+x[0-9]+|other)"/)
                })
            #expect(bands.compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +) == 3)
        }
    }

    @Test("a live capture passes although the second pack cannot describe its pictures")
    func failure() async throws {
        try await run(
            [
                "MIEN_FACE_SHADOW_PACK": TwoPacks.second,
                "MIEN_FACE_LIVENESS_MODE": "liveness_active",
            ], reader: WordReader()
        ) { server in
            try await server.makeUser()
            let live = try LiveCaptureTests()
            try await live.register(server)
            let (journey, token) = try await live.login(server)
            var stage = try await LiveStage(server, token, seed: 2)
            try await stage.play()
            try await journey.respond(.clientInput)
            guard case .success = await journey.outcome() else {
                Issue.record("a live person was rejected")
                return
            }
            #expect(try await Self.decisions("pack", server) == ["accepted failed": 1])
        }
    }

    @Test("the pack in use, or one that is not installed, is refused by name")
    func settings() async throws {
        await #expect(throws: ConfigurationError.self) {
            try await run(["MIEN_FACE_SHADOW_PACK": TwoPacks.active]) { _ in }
        }
        await #expect {
            try await run(["MIEN_FACE_SHADOW_PACK": "nobody-1"]) { _ in }
        } throws: {
            "\($0)".contains("nobody-1")
        }
        #expect(throws: ConfigurationError.self) {
            try ServerConfiguration(
                environment: ["MIEN_FACE_SHADOW_PACK": "No Pack"], home: Installed.home.folder)
        }
    }

    @Test("apps beyond the fiftieth share a label, and lower scores of one app raise an alarm")
    func monitor() throws {
        let registry = PrometheusRegistry(), logs = LogLines()
        let monitor = FaceMonitor(metrics: Metrics(registry), logger: logs.logger)
        for number in 0...FaceMonitor.maxApps {
            monitor.compared(
                MatchScore(61), app: try #require(AppID("app_\(number)")), camera: .vga)
        }
        #expect(registry.text.contains(#"app="app_49""#) && !registry.text.contains("app_50"))
        #expect(
            registry.text.contains(
                #"mien_face_scores_total{app="other",camera="640x480",from="60"} 1"#))
        let shop = try #require(AppID("app_7")), logins = ScoreDrift.referenceCount
        for number in 0..<logins {
            monitor.compared(MatchScore(Double(48 + number % 24)), app: shop, camera: .vga)
        }
        #expect(!registry.text.contains("mien_face_score_drift{") && logs.text.isEmpty)
        for _ in 0..<ScoreDrift.windowCount {
            monitor.compared(MatchScore(37.25), app: shop, camera: .vga)
        }
        #expect(
            registry.text.contains(
                #"mien_face_score_drift{app="app_7",camera="640x480"} 1.0"#))
        #expect(logs.text.contains("app_7") && !logs.text.contains("37"))
        for number in 0..<ScoreDrift.windowCount {
            monitor.compared(MatchScore(Double(48 + number % 24)), app: shop, camera: .vga)
        }
        #expect(
            registry.text.contains(
                #"mien_face_score_drift{app="app_7",camera="640x480"} 0.0"#))
    }

    @Test("cameras are told apart by the size of their pictures")
    func cameras() {
        #expect(CameraClass(width: 640, height: 480) == .vga)
        #expect(CameraClass(width: 1080, height: 1920) == .fullHD)
        #expect(CameraClass(width: 641, height: 480) == .other)
    }
}
