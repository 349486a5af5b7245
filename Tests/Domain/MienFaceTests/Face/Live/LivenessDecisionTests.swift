import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite("One decision about many cues")
struct LivenessDecisionTests {
    typealias Cue = LivenessDecision.Cue

    private static let lax = LivenessLimits(threshold: 0).decision,
        strict = LivenessLimits(threshold: 100).decision

    /// Measurements of a genuine person.
    private static let clean: [Cue: Double] = [
        .depth: 0.14, .network: -2, .peak: 11, .glare: 0, .border: 10, .banding: 0.8,
    ]

    private static func cue(_ changes: [Cue: Double], over limit: Double = lax) -> Cue? {
        LivenessDecision(clean.merging(changes) { $1 }).refusal(over: limit)
    }

    @Test("without measurements, nothing is refused at any threshold")
    func nothing() {
        let decision = LivenessDecision([:])
        #expect(decision.total == 0 && decision.refusal(over: Self.strict) == nil)
    }

    @Test("a genuine person passes at every threshold, also with each measurement missing")
    func genuine() {
        for cue in Cue.allCases {
            var some = Self.clean
            some[cue] = nil
            #expect(LivenessDecision(some).refusal(over: Self.strict) == nil, "\(cue)")
        }
        for (cue, value) in Self.clean where cue != .glare {
            #expect(LivenessDecision([cue: value]).total < 0, "\(cue)")
        }
    }

    @Test(
        "a strong sign refuses whatever the other measurements are, and names the reason",
        arguments: [
            (Cue.depth, 0.02), (.network, 6), (.banding, 8), (.glare, 0.4), (.peak, 75),
        ])
    func strong(cue: Cue, value: Double) {
        #expect(Self.cue([cue: value]) == cue)
        #expect(LivenessDecision([cue: value]).refusal(over: Self.lax) == cue)
    }

    @Test("weak signs that pass alone refuse together, and the strongest is the reason")
    func together() {
        let weak: [Cue: Double] = [.network: 1.5, .peak: 21, .border: 60, .banding: 2.2]
        for (cue, value) in weak { #expect(Self.cue([cue: value]) == nil, "\(cue)") }
        #expect(Self.cue(weak) == .network)
    }

    @Test("a worse measurement never lowers the sum, and no good one lowers it by more than a half")
    func monotone() {
        var generator = TestSeed.generator(88)
        for _ in 0..<500 {
            let cue = Cue.allCases.randomElement(using: &generator)!
            let range: ClosedRange<Double> =
                switch cue {
                case .depth: 0...0.4
                case .network: -16...16
                case .peak: 0...60
                case .glare: 0...1
                case .border: 0...255
                case .banding: 0...20
                }
            let pair = [0, 1].map { _ in Double.random(in: range, using: &generator) }.sorted()
            let sums = pair.map {
                LivenessDecision(Self.clean.merging([cue: $0]) { $1 }).total
            }
            #expect(cue == .depth ? sums[0] >= sums[1] : sums[0] <= sums[1], "\(cue) \(pair)")
            #expect(LivenessDecision([cue: pair[0]]).total >= -0.5)
        }
    }

    @Test(
        "all that speaks for a face together hides no strong sign",
        arguments: [(Cue.depth, 0.046), (.network, 2.2), (.banding, 3.1), (.border, 110)])
    func credit(cue: Cue, value: Double) {
        var best: [Cue: Double] = [
            .depth: 1, .network: -20, .peak: -20, .glare: 0, .border: 1, .banding: 0.1,
        ]
        #expect(LivenessDecision(best).total == -LivenessDecision.maxCredit)
        best[cue] = value
        #expect(LivenessDecision(best).refusal(over: Self.lax) == cue)
    }

    @Test("what is not a number refuses")
    func notANumber() {
        for cue in Cue.allCases { #expect(Self.cue([cue: .nan]) == cue) }
    }

    @Test("a session reports the decision, and its reason once")
    func session() throws {
        let session = LivenessSession.played(
            MadeSheet(.tilted), try LivenessChallenge(steps: [.init(.turnLeft)]),
            settings: try VerificationSettings(mode: .livenessActive)
        ).session
        let decision = try #require(session.checks.last { $0.check == .decision })
        #expect(decision.measured == session.decision.total && decision.limit == Self.lax)
        if decision.refusal != nil {
            #expect(decision.refusal == .flat)
            #expect(session.refusals?.count { $0 == .flat } == 1)
            #expect(session.checks.first { $0.check == .depth }?.refusal == .flat)
        }
    }
}
