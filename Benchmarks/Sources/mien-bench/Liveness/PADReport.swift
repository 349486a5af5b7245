import Foundation
import MienTools

/// A report in the structure of ISO/IEC 30107-3, in Markdown.
struct PADReport {
    /// The trials of one model pack.
    struct Run {
        let pack: String
        /// The mode of the presentation check.
        let presentation: String
        let trials: [PADTrial]

        var people: Int { Set(trials.compactMap(\.person)).count }
    }

    /// The presentations of one species in one mode.
    struct Count {
        let species: String
        let mode: PADTrial.Mode
        let accepted: Int
        let refusals: [String: Int], nonResponses: [String: Int]

        init(_ species: String, _ mode: PADTrial.Mode, _ trials: [PADTrial]) {
            (self.species, self.mode) = (species, mode)
            accepted = trials.count { $0.outcome == .accepted }
            (refusals, nonResponses) = trials.reduce(into: ([:], [:])) { counts, trial in
                switch trial.outcome {
                case .accepted: break
                case .refused(let reason): counts.0[reason, default: 0] += 1
                case .nonResponse(let reason): counts.1[reason, default: 0] += 1
                }
            }
        }

        var refused: Int { refusals.values.reduce(0, +) }
        var silent: Int { nonResponses.values.reduce(0, +) }
        /// Presentations with a response, from which error rates are computed.
        var answered: Int { accepted + refused }
        var presented: Int { answered + silent }

        var reasons: String {
            let all = refusals.merging(nonResponses) { $0 + $1 }
            let sorted = all.sorted { a, b in
                a.value == b.value ? a.key < b.key : a.value > b.value
            }
            let words = sorted.map { "`\($0.key)` \($0.value)" }
            return words.isEmpty ? "–" : words.joined(separator: ", ")
        }
    }

    let runs: [Run]
    let part: PADPart

    /// - Parameter trials: Of any packs and modes of the presentation check.
    init(_ trials: [PADTrial], part: PADPart) {
        self.part = part
        let groups = Dictionary(grouping: trials) { "\($0.pack) \($0.presentation)" }
        runs = groups.sorted { $0.key > $1.key }.compactMap { _, trials in
            trials.first.map {
                Run(pack: $0.pack, presentation: $0.presentation, trials: trials)
            }
        }
    }

    /// The making of each species, in the order of the table.
    static let instruments: [(species: String, words: String)] = [
        ("still", "a photo, the same bytes in each frame"),
        ("held", "a flat photo in an unsteady hand"),
        ("zoomed", "a flat photo, moved closer and farther"),
        ("tilted", "a flat photo, tilted by up to 60° when a turn is asked"),
        ("bent", "a photo bent around the head's axis"),
        ("cut_out_eyes", "a flat photo with cut-out eyes, which blinks and tilts"),
        ("cut_out_and_bent", "the same, also bent, with a cut-out mouth"),
        ("wrong_order", "an animated photo that performs other actions"),
        ("replay", "a recording of a session with other actions"),
        ("splice", "an animated photo, replaced by another person's after the still phase"),
        (
            "on_screen",
            "an animated photo on a simulated device with a border, pixels, and moving bands"
        ),
        ("on_large_screen", "the same on a screen that fills the view"),
        (
            "on_varied_screen",
            "the same on devices that differ in distance, border, pixels, and bands"
        ),
        ("rephotographed", "the same, taken again by a second camera"),
        ("printed_mask", "an animated photo with a halftone, whose mouth does not open"),
        (
            "animated photo",
            "an animated photo injected in place of a camera's frames: turns, blinks, with depth"
        ),
    ]

    static func counts(of trials: [PADTrial], attacks: Bool) -> [Count] {
        let order = instruments.map(\.species)
        var counts: [Count] = []
        for mode in PADTrial.Mode.allCases {
            let shown = trials.filter { $0.isAttack == attacks && $0.mode == mode }
            let groups = Dictionary(grouping: shown, by: \.species)
            func place(_ species: String) -> Int { order.firstIndex(of: species) ?? order.count }
            let names = groups.keys.sorted { a, b in
                place(a) == place(b) ? a < b : place(a) < place(b)
            }
            counts += names.map { Count($0, mode, groups[$0] ?? []) }
        }
        return counts
    }

    static func rate(_ part: Int, of all: Int) -> String {
        guard all > 0 else { return "–" }
        return "\(String.decimal(100 * Double(part) / Double(all), 1)) %"
    }

    var text: String {
        """
        # Presentation attack detection report

        The structure is that of ISO/IEC 30107-3. `mien-bench liveness pad-report` wrote this file; do not
        edit it. **No accredited laboratory tested this, and no attack used a physical instrument in front of
        a camera.** The rates hold for the simulated instruments below, and do not support a claim of
        conformance.

        ## 1 Item under test

        The liveness sessions of Mien at `livenessThreshold` 0, as servers and devices run them, with a
        time limit of 2 s for an action and 2.5 s for a blink, at 12 frames per second. Sessions refuse,
        accept, or end without a judgment. Packs and modes:

        \(runs.map(Self.words).joined(separator: "\n"))

        The mode `image` has no attack detection: every photo of suitable quality passes.

        ## 2 Kind of evaluation

        Evaluation of the detection subsystem by simulation. Each trial is one session of at most 15 s,
        without retries. \(part.words) The same numbers draw the same challenges for each pack.

        ## 3 Attack instruments

        Each instrument is made from one photo of each person, 250 × 250 pixels (LFW), with camera noise
        and, where it is held, an unsteady hand.

        | instrument | made from |
        |---|---|
        \(Self.instruments.map { "| `\($0.species)` | \($0.words) |" }.joined(separator: "\n"))

        ## 4 Bona fide presentations

        Clips of four people (CC-BY-4.0), some with blinks drawn into the frames, some cut and shown on
        cue; windows of the same clip are not independent. *Fitted* clips were used to set limits,
        *held-out* clips were not; in the latter, a man makes signs and does not follow the instructions.
        No group of people was measured separately.

        ## 5 Metrics

        APCER: accepted presentations of one instrument ÷ those with a response. BPCER: refused bona
        fide presentations ÷ those with a response. APNRR, BPNRR: presentations without a response ÷
        all. A session without a response lets nobody in. The 95 % intervals are exact (Clopper and
        Pearson).

        ## 6 Results

        \(runs.map(results).joined(separator: "\n\n"))

        ## 7 Deviations and limits

        - Fewer presentations and people than the standard recommends; see the intervals.
        - No real prints, screens, or masks in front of a camera, of paper, silicone, or resin; no
          three-dimensional heads; no phones in a hand; no deepfake programs other than our own animation
          of a photo by its depth; no infrared cameras.
        - An injected animated photo is not a presentation attack, because no instrument is in front of
          a camera. It is listed apart, because nothing here stops injection in general.
        - Bona fide presentations are of few people, and sessions with actions are few.

        """
    }

    private static func words(_ run: Run) -> String {
        "- `\(run.pack)`, presentation check `\(run.presentation)`: active mode (two or three random actions) and passive mode (keep still, blink); photos of \(run.people == 1 ? "one person" : "\(run.people) people")"
    }

    private func results(of run: Run) -> String {
        let attacks = Self.counts(of: run.trials, attacks: true),
            genuine = Self.counts(of: run.trials, attacks: false)
        return """
            ### `\(run.pack)`, presentation check `\(run.presentation)`

            | mode | instrument | presented | accepted | APCER | 95 % | APNRR | reasons for refusals and non-responses |
            |---|---|--:|--:|--:|--:|--:|---|
            \(attacks.map { row($0, "`\($0.species)`", errors: $0.accepted) }.joined(separator: "\n"))

            \(PADTrial.Mode.allCases.compactMap { worst(of: attacks, $0) }.joined(separator: "\n"))

            | mode | bona fide | presented | refused | BPCER | 95 % | BPNRR | reasons for refusals and non-responses |
            |---|---|--:|--:|--:|--:|--:|---|
            \(genuine.map { row($0, $0.species, errors: $0.refused) }.joined(separator: "\n"))

            Sessions by the largest sum of the cues' weights that is accepted. `livenessThreshold` 0 is
            0.25, and 100 is −0.5. Only sessions that no other check refused change with it.

            | mode | sum | attacks accepted | 95 % | injected accepted | 95 % | bona fide refused | 95 % |
            |---|--:|--:|--:|--:|--:|--:|--:|
            \(PADTrial.Mode.allCases.flatMap { curve(of: run.trials, $0) }.joined(separator: "\n"))
            """
    }

    /// One row for each of some limits of the decision about cues.
    private func curve(of trials: [PADTrial], _ mode: PADTrial.Mode) -> [String] {
        let shown = trials.filter { $0.mode == mode }
        let injected = shown.filter { $0.species == "animated photo" },
            attacks = shown.filter { $0.isAttack && $0.species != "animated photo" },
            genuine = shown.filter { !$0.isAttack }
        return [1.75, 1, 0.5, 0.25, 0, -0.25, -0.5].map { limit in
            let counts = [
                (attacks.count { $0.isAccepted(upTo: limit) }, attacks.count),
                (injected.count { $0.isAccepted(upTo: limit) }, injected.count),
                (genuine.count { !$0.isAccepted(upTo: limit) }, genuine.count),
            ]
            let cells = counts.flatMap { part, all in
                ["\(part) of \(all)", PresentationReport.interval(part, of: all)]
            }
            return "| \(mode.rawValue) | \(limit) | \(cells.joined(separator: " | ")) |"
        }
    }

    private func row(_ count: Count, _ name: String, errors: Int) -> String {
        let cells: [String] = [
            count.mode.rawValue, name, "\(count.presented)", "\(errors)",
            Self.rate(errors, of: count.answered),
            PresentationReport.interval(errors, of: count.answered),
            Self.rate(count.silent, of: count.presented), count.reasons,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// The highest rate of an instrument in front of a camera, in words.
    private func worst(of counts: [Count], _ mode: PADTrial.Mode) -> String? {
        let shown = counts.filter {
            $0.mode == mode && $0.species != "animated photo" && $0.answered > 0
        }
        func rate(_ count: Count) -> Double { Double(count.accepted) / Double(count.answered) }
        guard let worst = shown.max(by: { rate($0) < rate($1) }) else { return nil }
        let accepted = shown.reduce(0) { $0 + $1.accepted },
            answered = shown.reduce(0) { $0 + $1.answered }
        let name = mode.rawValue.prefix(1).uppercased() + mode.rawValue.dropFirst()
        return
            "- \(name): highest APCER \(Self.rate(worst.accepted, of: worst.answered))\(worst.accepted > 0 ? " (`\(worst.species)`)" : ""); \(accepted) of \(answered) over all instruments except the injected animated photo (\(PresentationReport.interval(accepted, of: answered)))."
    }
}
