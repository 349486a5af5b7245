import MienFace
import MienTools

/// The results of `mien-bench live`, with the budgets of the design.
struct LiveReport: Encodable {
    var frame: [LiveFrameBench.Result] = []
    var verdict: [VerdictBench.Result] = []
    var hourOfSessions: SoakBench.Result?
    var hourInOneSession: SoakBench.Result?
    /// Memory over frames through the whole pipeline.
    var pipeline: SoakBench.Result?

    var text: String {
        func mean(_ part: (LiveFrameBench.Result) -> Stopwatch.Summary) -> String {
            "\(String.decimal(frame.reduce(0) { $0 + part($1).median.cpuMilliseconds } / Double(max(1, frame.count)), 2)) ms"
        }
        var rows = [
            [
                "live frame, 640×480: JPEG decode + detect + mesh + pose + quality",
                mean(\.budgeted), "≤ 6 ms",
            ],
            ["  of which JPEG decode", mean(\.decode), ""],
            [
                "  as sessions read it: also eyes, one crop's descriptor, patch, hash",
                mean(\.session), "",
            ],
        ]
        if frame.allSatisfy({ $0.sessionWithPresentation != nil }), !frame.isEmpty {
            rows.append([
                "  as sessions read it, with the network against prints and screens",
                mean { $0.sessionWithPresentation! }, "≤ 10 ms",
            ])
        }
        for verdict in verdict {
            rows.append([
                "last frame's JPEG to the verdict “\(verdict.verdict)”, \(verdict.mode.rawValue) (wall clock)",
                "\(String.decimal(verdict.milliseconds)) ms", "≤ 300 ms",
            ])
            rows.append([
                "  the longest of them", "\(String.decimal(verdict.maxMilliseconds)) ms", "",
            ])
        }
        func memory(_ name: String, _ result: SoakBench.Result?) {
            guard let result else { return }
            let ended = result.sessions == 0 ? "" : ", \(result.sessions.grouped) sessions"
            rows.append([
                "memory: \(name), \(result.frames.grouped) frames\(ended), in \(String.decimal(result.seconds)) s",
                "\(String.decimal(result.beginMebibytes)) → \(String.decimal(result.endMebibytes)) MiB",
                "",
            ])
        }
        memory("an hour of sessions, one after another", hourOfSessions)
        memory("an hour in one session that never begins", hourInOneSession)
        memory("JPEG frames through the whole pipeline", pipeline)
        return Terminal.table(rows, heading: ["work", "measured", "budget"])
    }
}
