import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer

/// A person, or a picture of one, in front of a screen that shows the colors of the answers, or those
/// of another session. Rendered, and measured in pixels: only where the face is, is given.
private struct LitSubject: Sendable {
    private var camera: LitCamera
    private let other: LightChallenge?
    private var colors: [CaptureColor] = []

    init(_ subject: LitScene.Subject = .head, screen: Double = 40, other: LightChallenge? = nil) {
        var scene = LitScene()
        (scene.subject, scene.screen, scene.framesPerSecond) = (subject, screen, 10)
        camera = LitCamera(scene)
        self.other = other
    }

    mutating func see(_ answer: CaptureAnswer) {
        for color in answer.light?.colors ?? []
        where color.begin > (colors.last?.begin ?? -1) { colors.append(color) }
    }

    mutating func light(at milliseconds: UInt32) throws -> LightSample? {
        let shown = try other ?? known()
        let (image, mesh) = camera.frame(at: Double(milliseconds) / 1000, shown)
        return LightSample(of: mesh, in: image)
    }

    /// The colors so far; the last one is shown until another is known.
    private func known() throws -> LightChallenge? {
        guard colors.count >= 2 else { return nil }
        let ends = colors.dropFirst().map(\.begin) + [colors.last!.begin + 700]
        return try LightChallenge(
            steps: zip(colors, ends).map { color, end in
                let value = try #require(UInt32(color.hex.dropFirst(), radix: 16))
                return .init(
                    RGBColor(
                        UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)),
                    milliseconds: end - color.begin)
            })
    }
}

extension LiveStage {
    /// Performs the actions while the screen lights the subject.
    fileprivate mutating func play(_ subject: LitSubject) async throws {
        var subject = subject, asked: LivenessAction?, since = number
        while answer.isOpen, number < 400 {
            let now = answer.action.flatMap { LivenessAction(rawValue: $0.rawValue) }
            if now != asked { (asked, since) = (now, number) }
            var words = WordReader.Words()
            LiveStage.obey(asked, Double(number - since) / 10, &words)
            subject.see(answer)
            words.light(try subject.light(at: elapsed + 100))
            try await show(words)
        }
    }
}

/// Live captures whose screen shows colors, over HTTP.
@Suite("Captures in the light of a screen", .enabled(if: Installed.isThere, Installed.reason))
struct LitCaptureTests {
    private let live: LiveCaptureTests

    init() throws { live = try LiveCaptureTests() }

    /// The traces of one capture.
    private struct End: Sendable {
        let answer: CaptureAnswer
        let detail: JSONValue?
        let metrics: String
    }

    private func session(_ server: TestServer, _ token: Sensitive<String>) throws -> CaptureSession
    {
        try CaptureSession(
            startToken: token,
            MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)))
    }

    private func code(_ body: () async throws -> Void) async -> ProblemCode? {
        do { try await body() } catch { return (error as? MienError)?.problem?.code }
        return nil
    }

    private func registration(_ server: TestServer) async throws -> Sensitive<String> {
        let journey = try await server.client().start("face-registration")
        try await journey.respond(
            "password", ["username": "ada", "password": "a password nobody has"])
        return try #require(try await journey.respond(.clientInput).startToken)
    }

    /// Runs one registration of a server with this setting, whose client shows colors of `style`.
    private func capture(
        _ mode: LightMode, _ style: CaptureLightStyle?, _ subject: LitSubject = LitSubject(),
        _ settings: [String: String] = [:], _ check: @Sendable (End) async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: ScratchFolder(),
            settings: LiveCaptureTests.live.merging(settings) { $1 }.merging([
                "MIEN_FACE_LIGHT": mode.rawValue
            ]) { $1 }, reader: WordReader()
        ) { server in
            try await server.makeUser()
            // Of a user who signed in, so that the audit log has every measurement.
            let token = try await registration(server)
            if let style { try await session(server, token).showLight(style) }
            let answer: CaptureAnswer
            if mode == .require, style == nil {
                answer = try await session(server, token).start()
            } else {
                var stage = try await LiveStage(server, token, seed: 2)
                #expect((stage.answer.light?.colors != nil) == (style != nil && style != .off))
                try await stage.play(subject)
                answer = stage.answer
            }
            let metrics = String(
                decoding: try await AsyncHTTPTransport().send(
                    .init(method: .get, url: server.url("/metrics"))
                ).body, as: UTF8.self)
            let entry = try await server.admin.audit().items.last {
                $0.event.hasPrefix("capture.")
            }
            try await check(
                End(answer: answer, detail: entry.map { .object($0.detail) }, metrics: metrics))
        }
    }

    private static func count(_ mode: LightMode, _ result: String) -> String {
        #"mien_light_checks_total{mode="\#(mode.rawValue)",result="\#(result)"} 1"#
    }

    @Test(
        "a head that the server's colors light passes where they are required, full or gentle",
        arguments: [CaptureLightStyle.vivid, .gentle])
    func head(style: CaptureLightStyle) async throws {
        try await capture(.require, style) { end in
            #expect(end.answer.hasPassed, "\(end.answer)")
            let measured = end.detail?["measured"]?["light"]?.numberValue ?? 0
            #expect(measured > 0.65, "\(end.answer)")
            #expect(end.detail?["not_run"] == nil && end.detail?["observed"] == nil)
            #expect(end.metrics.contains(Self.count(.require, "passed")))
            #expect(
                !"\(String(describing: end.detail))".contains(style.rawValue),
                "nothing says which colors the person chose")
        }
    }

    @Test(
        "a recording of another session's colors, and a print, are refused where the colors are required"
    )
    func attacks() async throws {
        var generator = SeededGenerator(seed: 77)
        let other = LightChallenge.drawn(for: .seconds(60), using: &generator)
        for (subject, reason): (LitSubject, CaptureReason) in [
            (LitSubject(other: other), .lightNotFollowed),
            (LitSubject(screen: 0), .lightNotFollowed), (LitSubject(.print), .lightFlat),
        ] {
            try await capture(.require, .vivid, subject) { end in
                #expect(end.answer.reasons == [.known(reason)], "\(end.answer)")
                #expect(end.detail?["reasons"] == .array([.string(reason.rawValue)]))
                #expect(end.metrics.contains(Self.count(.require, "refused")))
            }
        }
    }

    @Test(
        "where the colors are only observed, the same print is accepted, and the audit log says what was seen"
    )
    func observed() async throws {
        try await capture(.observe, .vivid, LitSubject(.print)) { end in
            #expect(end.answer.hasPassed, "\(end.answer)")
            // An observed check does not prolong a session whose random actions take less than six
            // seconds.
            if end.detail?["not_run"] == nil {
                #expect(end.detail?["observed"] == .array(["light_flat"]))
                #expect(end.metrics.contains(Self.count(.observe, "refused")))
            } else {
                #expect(end.metrics.contains(Self.count(.observe, "unjudged")))
            }
        }
    }

    @Test(
        "a client that shows no colors is judged by the other checks where they are observed, and told why where they are required"
    )
    func unlit() async throws {
        try await capture(.observe, nil) { observed in
            #expect(observed.answer.hasPassed)
            #expect(observed.detail?["not_run"] == .array(["light"]))
            #expect(observed.metrics.contains(Self.count(.observe, "not_shown")))
        }
        try await capture(.require, nil) { required in
            #expect(required.answer.reasons == [.known(.lightNotShown)])
            #expect(required.detail?["reasons"] == .array(["light_not_shown"]))
        }
        try await capture(.off, nil) { off in
            #expect(off.answer.hasPassed && off.detail?["not_run"] == nil)
            #expect(!off.metrics.contains("mien_light_checks_total{"))
        }
    }

    @Test(
        "the server draws the colors, reveals each two seconds before it begins, and changes them less than three times a second"
    )
    func revealed() async throws {
        try await live.run(["MIEN_FACE_LIGHT": "require"]) { server in
            var sequences: Set<[CaptureColor]> = []
            for seed in 0..<2 {
                let (_, token) = try await live.login(server)
                let session = try session(server, token)
                let offered = try await session.status().light
                #expect(offered == CaptureLight(isRequired: true, isOmittable: false))
                try await session.showLight(.gentle)
                #expect(try await session.status().light?.colors == nil, "not drawn yet")
                var stage = try await LiveStage(server, token, seed: UInt64(5 + seed)),
                    seen: [CaptureColor] = []
                for _ in 0..<80 where stage.answer.isOpen {
                    let now = Int(stage.elapsed), colors = try #require(stage.answer.light?.colors)
                    #expect(colors.first.map { $0.begin <= now } == true, "the color to show now")
                    #expect(colors.allSatisfy { $0.begin <= now + 2000 }, "no later ones")
                    #expect(colors.count >= 3, "\(colors)")
                    for color in colors where color.begin > (seen.last?.begin ?? -1) {
                        seen.append(color)
                    }
                    try await stage.show(WordReader.Words())
                }
                for (first, second) in zip(seen, seen.dropFirst()) {
                    #expect((400...700).contains(second.begin - first.begin))
                    #expect(first.hex != second.hex)
                }
                #expect(seen.allSatisfy { $0.hex.contains("bc") }, "pale: \(seen)")
                sequences.insert(Array(seen.prefix(10)))
                #expect(await code { try await session.showLight(.vivid) } == .invalidState)
            }
            #expect(sequences.count == 2, "each session has its own")
        }
    }

    @Test(
        "people who must not see the colors leave them out: always where they are observed, else if the policy allows it, and then perform random actions"
    )
    func accommodated() async throws {
        try await capture(.observe, .off) { observed in
            #expect(observed.answer.hasPassed && observed.detail?["not_run"] == .array(["light"]))
            #expect(!"\(String(describing: observed.detail))".contains("off"))
        }
        try await capture(
            .require, .off, LitSubject(screen: 0), ["MIEN_FACE_LIGHT_ACCOMMODATION": "true"]
        ) { allowed in #expect(allowed.answer.hasPassed, "\(allowed.answer)") }

        try await live.run(["MIEN_FACE_LIGHT": "require"]) { server in
            let (_, token) = try await live.login(server)
            let session = try session(server, token)
            #expect(await code { try await session.showLight(.off) } == .notPermitted)
            try await session.showLight(.gentle)
        }
        try await TestServer.run(
            in: ScratchFolder(),
            settings: [
                "MIEN_FACE_LIVENESS_MODE": "liveness_passive", "MIEN_FACE_LIGHT": "require",
                "MIEN_FACE_LIGHT_ACCOMMODATION": "true",
            ], reader: WordReader(presentation: .require)
        ) { server in
            try await server.makeUser()
            let (_, token) = try await live.login(server)
            let session = try session(server, token)
            #expect(try await session.status().light?.isOmittable == true)
            #expect(try await session.showLight(.off).mode == .known(.livenessActive))
            #expect(try await session.omitActions([.lookUp]).mode == .known(.livenessActive))
            #expect(try await session.showLight(.vivid).mode == .known(.livenessPassive))
            try await session.showLight(.off)
            var stage = try await LiveStage(server, token, seed: 3)
            try await stage.play { action, since, words in
                LiveStage.obey(action, since, &words)
                words.attack = 0.1
            }
            #expect(stage.answer.hasPassed && stage.answer.light == nil)
        }
    }

    @Test(
        "an app can require the colors, a step too, and neither can allow what the other does not")
    func policy() {
        let server = LivenessPolicy(light: .observe, lightAccommodation: false)
        func rules(_ app: LivenessPolicy, _ step: LivenessPolicy = LivenessPolicy())
            -> LivenessRules
        {
            LivenessRules(server: server, app: app, step: step)
        }
        #expect(rules(LivenessPolicy()).light == .observe)
        #expect(rules(LivenessPolicy(light: .off)).light == .off)
        #expect(
            rules(LivenessPolicy(light: .off), LivenessPolicy(light: .require)).light == .require)
        #expect(
            rules(LivenessPolicy(light: .require), LivenessPolicy(light: .off)).light == .require)
        let open = LivenessPolicy(light: .require, lightAccommodation: true)
        #expect(rules(open).mayOmitLight)
        #expect(!rules(open, LivenessPolicy(lightAccommodation: false)).mayOmitLight)
        #expect(!rules(LivenessPolicy(light: .require), open).mayOmitLight)
        #expect(!rules(LivenessPolicy(mode: .image, light: .require)).judgesLight)
        let required = rules(LivenessPolicy(light: .require))
        #expect(!rules(LivenessPolicy()).meet(required, isLit: true), "taken under laxer settings")
        #expect(required.meet(required, isLit: true) && !required.meet(required, isLit: false))
        #expect(rules(open).meet(rules(open), isLit: false))
    }
}
