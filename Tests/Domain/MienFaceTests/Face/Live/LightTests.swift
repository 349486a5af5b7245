import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite("Light of the screen")
struct LightTests {
    private static func challenge(
        _ seed: UInt64, _ style: LightChallenge.Style = .vivid
    ) -> LightChallenge {
        var generator = SeededGenerator(seed: seed)
        return .drawn(style, for: .seconds(30), using: &generator)
    }

    @Test(
        "drawn colors last 400 to 700 ms, differ from the ones before, and are no saturated red",
        arguments: LightChallenge.Style.allCases)
    func drawn(style: LightChallenge.Style) throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            let challenge = Self.challenge(seed, style)
            // The initializer checks durations and neighbors.
            #expect(try LightChallenge(steps: challenge.steps) == challenge)
            #expect(challenge.steps.reduce(0) { $0 + $1.milliseconds } >= 30_000)
            for step in challenge.steps {
                let light = LinearLight(step.color)
                #expect(light.red / (light.red + light.green + light.blue) < 0.8)
            }
            // Fewer than three flashes, each a pair of changes, in any second.
            for index in challenge.steps.indices {
                let end = challenge.begin(of: index) + .seconds(1)
                #expect(
                    challenge.steps.indices[index...].count { challenge.begin(of: $0) < end } <= 3)
            }
        }
        #expect(Self.challenge(1) != Self.challenge(2))
        #expect(Set((1...500).map { Self.challenge($0).steps.prefix(9).map(\.color) }).count == 500)
    }

    @Test("invalid sequences are refused")
    func invalid() {
        let red = LightChallenge.Step(RGBColor(255, 102, 102), milliseconds: 400)
        let blue = LightChallenge.Step(RGBColor(0, 0, 255), milliseconds: 700)
        func isValid(_ steps: [LightChallenge.Step]) -> Bool {
            (try? LightChallenge(steps: steps)) != nil
        }
        #expect(isValid([red, blue]) && !isValid([red]) && !isValid([red, red, blue]))
        #expect(!isValid([red, .init(blue.color, milliseconds: 399)]))
        #expect(!isValid([red, .init(blue.color, milliseconds: 701)]))
        #expect(!isValid((0...1500).map { $0 % 2 == 0 ? red : blue }))
        #expect(!isValid([.init(RGBColor(255, 0, 0), milliseconds: 400), blue]), "saturated red")
    }

    @Test("a sequence survives JSON, and says which color is shown when")
    func times() throws {
        let challenge = try LightChallenge(steps: [
            .init(RGBColor(255, 102, 102), milliseconds: 400),
            .init(RGBColor(0, 0, 255), milliseconds: 500),
        ])
        let data = try JSONEncoder().encode(challenge)
        #expect(try JSONDecoder().decode(LightChallenge.self, from: data) == challenge)
        let times = [-1, 0, 399, 400, 899, 900].map { Duration.milliseconds($0) }
        #expect(times.map(challenge.index(at:)) == [nil, 0, 0, 1, 1, nil])
        #expect(challenge.begin(of: 1) == .milliseconds(400))
        #expect(challenge.light(at: .seconds(-1)) == LinearLight(RGBColor(255, 102, 102)))
        #expect(challenge.light(at: .seconds(9)) == LinearLight(RGBColor(0, 0, 255)))
    }

    @Test("the light of a face is the mean of its parts, without curve, and turned parts face away")
    func sample() throws {
        let mesh = SyntheticHead().mesh(center: Point(x: 100, y: 100), halfWidth: 50)
        let gray = RGBImage(width: 200, height: 200, filledWith: RGBColor(188, 188, 188))
        let sample = try #require(LightSample(of: mesh, in: gray))
        #expect(sample.regions.count == 9)
        for region in sample.regions {
            #expect(abs(region.light.green - 0.503) < 0.001)
            #expect((0...1).contains(region.facing))
        }
        #expect(abs(try #require(sample.background).green - 0.503) < 0.001)
        // The cheeks' outer parts face the camera less than their middles.
        #expect(sample.regions[5].facing < sample.regions[3].facing)
        #expect(sample.regions[6].facing < sample.regions[4].facing)
        // Blown out, or out of the picture.
        #expect(
            LightSample(of: mesh, in: RGBImage(width: 200, height: 200, filledWith: .white)) == nil)
        #expect(
            LightSample(of: mesh, in: RGBImage(width: 90, height: 200, filledWith: .black)) == nil)
        let close = RGBImage(width: 160, height: 200, filledWith: .black)
        let wide = SyntheticHead().mesh(center: Point(x: 80, y: 100), halfWidth: 75)
        #expect(LightSample(of: wide, in: close)?.background == nil)
    }

    @Test(
        "a head passes in rooms up to 1,000 lux, with dark and light skin",
        arguments: [(20.0, 0.35), (300, 0.5), (300, 0.1), (1000, 0.35)])
    func heads(room: Double, skin: Double) {
        let row = LightTrials.run("head", 2) { ($0.room, $0.skin) = (room, skin) }
        #expect(row.refusals.isEmpty, "\(row)")
        #expect(row.correlations[0] > 0.75, "\(row)")
    }

    @Test("six frames a second, pastel colors, and strong compression suffice")
    func hard() {
        let slow = LightTrials.run("slow", 2) { $0.framesPerSecond = 6 }
        let gentle = LightTrials.run("gentle", 2, style: .gentle)
        let packed = LightTrials.run("packed", 2) { $0.quality = 50 }
        for row in [slow, gentle, packed] { #expect(row.refusals.isEmpty, "\(row)") }
    }

    @Test("a recording under other colors, or none, is refused")
    func recordings() {
        let other = LightTrials.run("other", 3, follows: false)
        #expect(other.refusals == ["light_not_followed": 3], "\(other)")
        let unlit = LightTrials.run("unlit", 2) { $0.screen = 0 }
        #expect(unlit.refusals == ["light_not_followed": 2], "\(unlit)")
    }

    @Test("the right colors a second late are refused")
    func late() {
        let row = LightTrials.run("late", 2) { $0.delay = 1.2 }
        #expect(row.refusals == ["light_not_followed": 2], "\(row)")
    }

    @Test("a print that reflects the right colors is refused as flat")
    func prints() {
        let row = LightTrials.run("print", 3) { $0.subject = .print }
        #expect(row.refusals == ["light_flat": 3], "\(row)")
    }

    @Test("noise hides no print", arguments: [6.0, 15, 40])
    func noise(noise: Double) {
        let row = LightTrials.run("print", 3) {
            ($0.subject, $0.noise, $0.framesPerSecond) = (.print, noise, 6)
        }
        #expect(row.refusals.values.reduce(0, +) == 3, "\(row)")
    }

    @Test("too few frames or too short a time are no result, and a refusal where it is required")
    func few() throws {
        let challenge = Self.challenge(3)
        let sample = LightSample(
            regions: [.init(LinearLight(0.5, 0.4, 0.3), facing: 1)], background: nil)
        func result(_ mode: LightMode, frames: Int, every milliseconds: Int)
            -> LivenessCheckResult?
        {
            var check = LightCheck(
                limits: LivenessLimits(threshold: 0, lightMode: mode, light: challenge))
            for frame in 0..<frames { check.see(sample, at: .milliseconds(frame * milliseconds)) }
            #expect(check.wantsMore == (mode == .require && (check.result?.refusal == .badQuality)))
            return check.result
        }
        #expect(result(.require, frames: 23, every: 300)?.refusal == .badQuality)
        #expect(result(.require, frames: 100, every: 60)?.refusal == .badQuality)
        #expect(result(.require, frames: 102, every: 60)?.refusal == .lightNotFollowed)
        #expect(result(.observe, frames: 23, every: 300) == nil)
        let observed = try #require(result(.observe, frames: 102, every: 60))
        #expect(observed.hasPassed && observed.observed == .lightNotFollowed)
        #expect(result(.off, frames: 102, every: 60) == nil)
    }

    @Test("a session that requires the light needs colors, and draws them")
    func settings() throws {
        let required = try VerificationSettings(
            mode: .livenessPassive, light: .require, lightStyle: .gentle)
        let id = CaptureID("cap_test")!
        #expect(throws: SessionSettingError.self) {
            try FaceVerification(capture: id, settings: required)
        }
        var generator = SeededGenerator(seed: 1)
        let challenge = required.challenge(using: &generator)
        #expect(challenge.light?.steps.contains { $0.color.red == 0xBC } == true)
        _ = try FaceVerification(capture: id, settings: required, challenge: challenge)
        #expect(VerificationSettings.standard.challenge(using: &generator).light == nil)
        let data = try JSONEncoder().encode(challenge)
        #expect(try JSONDecoder().decode(LivenessChallenge.self, from: data) == challenge)
    }

    @Test(
        "measure: the table of docs/measurements/light.md",
        .enabled(if: ProcessInfo.processInfo.environment["MIEN_MEASURE"] != nil))
    func measure() {
        let count = Int(ProcessInfo.processInfo.environment["MIEN_MEASURE"] ?? "") ?? 10
        func show(_ row: LightTrials.Row) {
            func at(_ values: [Double], _ share: Double) -> String {
                values.isEmpty
                    ? "–"
                    : String(format: "%.2f", values[Int(share * Double(values.count - 1))])
            }
            print(
                "| \(row.name) | \(row.passed) of \(row.trials) | "
                    + "\(at(row.correlations, 0)) / \(at(row.correlations, 0.5)) | "
                    + "\(at(row.reliefs, 0)) / \(at(row.reliefs, 0.5)) / \(at(row.reliefs, 1)) | "
                    + "\(at(row.others, 0.5)) / \(at(row.others, 0.99)) / \(at(row.others, 1)) | "
                    + row.refusals.sorted { $0.key < $1.key }.map { "`\($0)` \($1)" }
                    .joined(separator: ", ") + " |")
        }
        for lux in [20, 100, 300, 1000, 2000, 5000, 10_000, 50_000] {
            for style in LightChallenge.Style.allCases {
                show(
                    LightTrials.run(
                        "head, \(style.rawValue), \(lux) lux", count, style: style,
                        others: style == .vivid ? 10 : 0, first: 100
                    ) { $0.room = Double(lux) })
            }
        }
        for skin in [0.05, 0.1, 0.2, 0.5] {
            show(LightTrials.run("head, skin \(skin)", count, first: 200) { $0.skin = skin })
            show(
                LightTrials.run("head, skin \(skin), 1000 lux", count, first: 200) {
                    ($0.skin, $0.room) = (skin, 1000)
                })
        }
        for (name, change) in [
            ("6 frames a second", { $0.framesPerSecond = 6 }),
            ("30 frames a second", { $0.framesPerSecond = 30 }),
            ("JPEG 50", { $0.quality = 50 }), ("JPEG 30", { $0.quality = 30 }),
            ("noise 6", { $0.noise = 6 }), ("sway 3", { $0.sway = 3 }), ("sway 6", { $0.sway = 6 }),
            ("wall at 1", { $0.wall = 1 }), ("delay 0.5 s", { $0.delay = 0.5 }),
            ("weak screen, 15 lux", { $0.screen = 15 }),
            (
                "fixed exposure and white balance",
                {
                    ($0.hasAutomaticExposure, $0.hasAutomaticWhiteBalance) = (false, false)
                }
            ),
        ] as [(String, (inout LitScene) -> Void)] {
            show(LightTrials.run("head, \(name)", count, first: 300, change))
        }
        for subject in [LitScene.Subject.print, .bentPrint, .device] {
            for lux in [20.0, 100, 300, 1000, 5000] {
                show(
                    LightTrials.run("\(subject.rawValue), \(Int(lux)) lux", count, first: 400) {
                        ($0.subject, $0.room) = (subject, lux)
                    })
            }
        }
        show(LightTrials.run("recording, other colors", 3 * count, follows: false, first: 500))
        show(LightTrials.run("recording, no colors", count, first: 600) { $0.screen = 0 })
        show(LightTrials.run("delay 1.2 s", count, first: 700) { $0.delay = 1.2 })
    }
}
