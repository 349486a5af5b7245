import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting
import MienTools

/// `mien-bench liveness enrollment-rates`
struct EnrollmentRatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrollment-rates",
        abstract: "Count the enrollments that are refused: of genuine people, and of splices.",
        discussion: """
            Plays clips of people, and heads rendered from photos that blink, turn, and nod as the \
            enrollment asks. In a splice, another person takes the place of the first once the first \
            frame was taken. With --cosines, prints instead how much each view resembles the first \
            frame, of the same person and of others, from which a pack's limits are set.

            EXAMPLE
              mien-bench liveness enrollment-rates clips lfw-dev/images --people 20
              mien-bench liveness enrollment-rates clips lfw-dev/images --people 100 --cosines
            """)

    @Argument(help: ArgumentHelp("The folder of clips, intel-sample-videos."))
    var clips: String
    @Argument(help: ArgumentHelp("A folder with one folder of photos per person."))
    var photos: String
    @Option(help: ArgumentHelp("How many people's photos to render.", valueName: "n"))
    var people = 20
    @Option(help: ArgumentHelp("How many photos to leave out at the beginning.", valueName: "n"))
    var skipping = 0
    @Option(help: ArgumentHelp("Frames per second.", valueName: "n"))
    var rate = EnrollmentTrials.framesPerSecond
    @Flag(help: "Print quantiles of cosines instead.") var cosines = false
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard (2...1000).contains(people) else {
            throw ValidationError("--people must be 2 to 1000, not \(people)")
        }
        guard skipping >= 0 else {
            throw ValidationError("--skipping must be 0 or greater, not \(skipping)")
        }
        guard (1...60).contains(rate) else {
            throw ValidationError("--rate must be 1 to 60, not \(rate)")
        }
    }

    func run() async throws {
        let clips = try Clips(existing: clips), photos = try PersonPhotos(folder: photos)
        let trials = EnrollmentTrials(engine: try engine.loadEngine(engine.loadPack()))
        let heads = try await heads(photos, trials)
        if cosines { return try await printCosines(heads, clips, trials) }
        var rows: [[String]] = []
        rows += try await rendered(heads, trials)
        rows += try await clipped(clips, heads, trials)
        print(
            Terminal.table(
                rows, heading: ["who", "plan", "frames", "trials", "enrolled", "refusals"]))
    }

    private func heads(_ photos: PersonPhotos, _ trials: EnrollmentTrials) async throws
        -> [SolidHead]
    {
        var heads: [SolidHead] = [], number = skipping
        while heads.count < people, number < photos.files.count {
            let photo = try photos.photo(number)
            number += 1
            if let mesh = try await trials.usable(photo) {
                heads.append(SolidHead(photo, mesh: mesh, reach: 40, seed: UInt64(number)))
            }
        }
        return heads
    }

    private static let plans: [EnrollmentPlan] = [EnrollmentSettings.Views.simple, .full].flatMap {
        views in
        [FaceCaptureMode.image, .livenessPassive].flatMap { mode in
            [1, 2, 4].map { EnrollmentPlan(mode: mode, views: views, frames: $0) }
        }
    }

    private static func row(_ who: String, _ plan: EnrollmentPlan, _ trials: [EnrollmentTrial])
        -> [String]
    {
        var refusals: [String: Int] = [:]
        for trial in trials where trial.outcome != "enrolled" {
            refusals[trial.outcome, default: 0] += 1
        }
        let reasons = refusals.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return [
            who, plan.name, "\(plan.frames)", "\(trials.count)",
            "\(trials.count - refusals.values.reduce(0, +))", reasons.joined(separator: ", "),
        ]
    }

    private func rendered(_ heads: [SolidHead], _ trials: EnrollmentTrials) async throws
        -> [[String]]
    {
        var rows: [[String]] = []
        for plan in Self.plans {
            var genuine: [EnrollmentTrial] = [], spliced: [EnrollmentTrial] = []
            for (number, head) in heads.enumerated() {
                var first = head, second = heads[(number + 1) % heads.count]
                genuine.append(
                    try await trials.play(plan, seconds: 20, framesPerSecond: rate) {
                        asked, time, _ in first.image(asked: asked, at: time)
                    })
                // An enrollment of one frame from the front ends before anybody replaces the person.
                if plan.views == .simple, plan.frames == 1 { continue }
                (first, second) = (head, heads[(number + 1) % heads.count])
                spliced.append(
                    try await trials.play(plan, seconds: 20, framesPerSecond: rate) {
                        asked, time, taken in
                        let pictures = (
                            first.image(asked: asked, at: time),
                            second.image(asked: asked, at: time)
                        )
                        return taken == 0 ? pictures.0 : pictures.1
                    })
            }
            rows.append(Self.row("rendered", plan, genuine))
            if !spliced.isEmpty { rows.append(Self.row("rendered, spliced", plan, spliced)) }
        }
        return rows
    }

    /// Clips of people who do not turn, with drawn blinks in the passive mode.
    private func clipped(_ clips: Clips, _ heads: [SolidHead], _ trials: EnrollmentTrials)
        async throws -> [[String]]
    {
        var rows: [[String]] = []
        let signs = (Clips.signs + Clips.otherSigns).map(Clips.sign)
        let groups: [(String, [(String, ClosedRange<Int>?)])] = [
            ("clips, a man who makes signs", signs.map { ($0, nil) }),
            (
                "clips, a man who hardly moves",
                [1, 8, 15, 22, 29, 36, 39].map { (Clips.man, $0...$0 + 23) }
            ),
        ]
        for (who, parts) in groups {
            for plan in Self.plans where plan.views == .simple {
                var genuine: [EnrollmentTrial] = [], spliced: [EnrollmentTrial] = []
                for (number, part) in parts.enumerated() {
                    let frames =
                        if let range = part.1 {
                            try await clips.frames(part.0, range)
                        } else {
                            try await clips.frames(part.0)
                        }
                    let clipRate = part.1 == nil ? 30.0 : 12
                    var meshes: [FaceMesh?] = []
                    for frame in frames {
                        meshes.append(
                            plan.mode == .image
                                ? nil
                                : try await trials.engine.analyze(frame, search: .near).main?.mesh)
                    }
                    let clip = BlinkingClip(frames, meshes: meshes, framesPerSecond: clipRate)
                    var person = clip
                    genuine.append(
                        try await trials.play(plan, seconds: 15, framesPerSecond: rate) {
                            asked, time, _ in person.image(asked: asked, at: time)
                        })
                    if plan.frames == 1 { continue }
                    person = clip
                    var other = heads[number % heads.count]
                    spliced.append(
                        try await trials.play(plan, seconds: 8, framesPerSecond: rate) {
                            asked, time, taken in
                            taken == 0
                                ? person.image(asked: asked, at: time)
                                : other.image(asked: asked, at: time)
                        })
                }
                rows.append(Self.row(who, plan, genuine))
                if plan.frames > 1 { rows.append(Self.row(who + ", spliced", plan, spliced)) }
            }
        }
        return rows
    }

    private func printCosines(_ heads: [SolidHead], _ clips: Clips, _ trials: EnrollmentTrials)
        async throws
    {
        var samples = LikenessSamples()
        for head in heads {
            samples.people.append(try await LikenessSamples.person(head, trials.engine))
        }
        var rows: [[String]] = []
        for view in EnrollmentView.allCases {
            let (own, others) = samples.cosines(view)
            rows.append(["rendered", "\(view)"] + Self.quantiles(own.sorted(), others.sorted()))
        }
        for (who, parts) in [
            ("clips of a man", (Clips.signs + Clips.otherSigns).map(Clips.sign)),
            ("clips of others", [Clips.man, Clips.woman]),
        ] {
            var own: [Double] = [], others: [Double] = []
            for name in parts {
                let frames = try await clips.frames(name)
                var first: FaceDescriptor?
                for (index, frame) in frames.enumerated() where index % 3 == 0 {
                    guard
                        let face = try await trials.engine.reading(
                            of: Frame(image: frame, time: .milliseconds(40 * index)), index: index
                        ).face, let likeness = face.likeness, face.quality.score >= 48,
                        EnrollmentView.front.isShown(by: face.pose)
                    else { continue }
                    guard let start = first else {
                        first = likeness
                        others += samples.people.compactMap {
                            $0.views[.front]?.first.map { Double($0.cosine(with: likeness)) }
                        }
                        continue
                    }
                    own.append(Double(start.cosine(with: likeness)))
                }
            }
            rows.append([who, "front"] + Self.quantiles(own.sorted(), others.sorted()))
        }
        print(
            Terminal.table(
                rows,
                heading: [
                    "who", "view", "own", "lowest", "1 in 1,000", "1 in 100", "median", "others",
                    "median", "1 in 1,000", "1 in 10,000", "highest",
                ]))
    }

    private static func quantiles(_ own: [Double], _ others: [Double]) -> [String] {
        func at(_ values: [Double], _ part: Double) -> String {
            values.isEmpty
                ? "–" : String.decimal(values[Int(Double(values.count - 1) * part)], 3)
        }
        return [
            own.count.grouped, at(own, 0), at(own, 0.001), at(own, 0.01), at(own, 0.5),
            others.count.grouped, at(others, 0.5), at(others, 0.999), at(others, 0.9999),
            at(others, 1),
        ]
    }
}
