import ArgumentParser
import Foundation
import MienCommandSupport
import MienFace
import MienModels

/// `mien bench live`
struct LiveBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Measure live capture: a frame, the time to a verdict, memory over an hour.",
        discussion: """
            A frame is a demo photo, 640×480, starting from its JPEG bytes; its figures are medians of \
            the processor time of one thread. The time to a verdict is wall-clock time. The hour of \
            frames runs faster than in real time, only through the sessions, with one real reading that \
            is made to blink. Then --frames frames run through the whole pipeline. Memory is that of \
            this process, from the first tenth of the frames to the last frame.

            EXAMPLE
              mien bench live
              mien bench live --frames 36000
            """)

    @Option(help: ArgumentHelp("How often to repeat every measurement.", valueName: "count"))
    var repeats = 20
    @Option(
        help: ArgumentHelp(
            "Frames through the whole pipeline, to measure memory.", valueName: "count"))
    var frames = 3000
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (3...1000).contains(repeats) else {
            throw ValidationError("--repeats must be 3 to 1000, not \(repeats)")
        }
        guard (100...1_000_000).contains(frames) else {
            throw ValidationError("--frames must be 100 to 1,000,000, not \(frames)")
        }
    }

    func run() async throws {
        let pack = try engine.loadPack(), faces = try engine.loadEngine(pack)
        var pictures: [(String, [UInt8])] = []
        for (name, photo) in try BenchCommand.demoPhotos(in: engine.home) {
            guard let face = try await faces.analyze(photo).main else {
                throw Failure(
                    .badInput, QualityReason.noFace.rawValue,
                    "\(name): \(QualityReason.noFace.advice)")
            }
            pictures.append((name, LiveFrameBench.frame(photo, around: face.detection.box)))
        }
        let progress = ProgressBar("Measuring", total: pictures.count + 5)
        var done = 0
        func step<T>(_ result: T) -> T {
            done += 1
            progress.update(done)
            return result
        }
        var report = LiveBenchReport()
        let bench = LiveFrameBench(engine: faces, repeats: repeats)
        for (name, frame) in pictures {
            report.frame.append(step(try await bench.run(name, frame)))
        }
        let (portrait, soak) = (pictures[1].1, SoakBench(engine: faces, frame: pictures[1].1))
        let verdicts = VerdictBench(
            engine: faces, matcher: try pack.matcher(), frame: portrait, repeats: repeats)
        report.verdict = [step(try await verdicts.image()), step(try await verdicts.passive())]
        report.hourOfSessions = step(try await soak.sessions())
        report.hourInOneSession = step(try await soak.oneSession())
        report.pipeline = step(try await soak.pipeline(frames: frames))
        progress.finish()
        if output.json { JSON.print(report) } else { print(report.text) }
    }
}

/// The results of `mien bench live`, with the budgets of the design.
struct LiveBenchReport: Encodable {
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
