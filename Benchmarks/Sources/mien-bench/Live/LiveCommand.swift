import ArgumentParser
import Foundation
import MienFace
import MienModels
import MienTools

/// `mien-bench live`
struct LiveCommand: AsyncParsableCommand {
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
              mien-bench live
              mien-bench live --frames 36000
            """)

    @Option(help: ArgumentHelp("How often to repeat every measurement.", valueName: "count"))
    var repeats = 20
    @Option(
        help: ArgumentHelp(
            "Frames through the whole pipeline, to measure memory.", valueName: "count"))
    var frames = 3000
    @Flag(help: "Measure only single frames, without verdicts and memory.") var frameOnly = false
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
        for (name, photo) in try DemoPhotos.all(in: engine.home) {
            guard let face = try await faces.analyze(photo).main else {
                throw Failure(
                    .badInput, QualityReason.noFace.rawValue,
                    "\(name): \(QualityReason.noFace.advice)")
            }
            pictures.append((name, LiveFrameBench.frame(photo, around: face.detection.box)))
        }
        let progress = ProgressBar(
            "Measuring", total: pictures.count + (frameOnly ? 0 : 5))
        var done = 0
        func step() {
            done += 1
            progress.update(done)
        }
        var report = LiveReport()
        let bench = LiveFrameBench(engine: faces, repeats: repeats)
        for (name, frame) in pictures {
            report.frame.append(try await bench.run(name, frame))
            step()
        }
        if !frameOnly { try await measureSessions(&report, faces, pack, pictures[1].1, step) }
        progress.finish()
        if output.json { JSON.print(report) } else { print(report.text) }
    }

    /// Measures verdicts and memory with the frames of one portrait.
    private func measureSessions(
        _ report: inout LiveReport, _ faces: FaceEngine, _ pack: ModelPack, _ portrait: [UInt8],
        _ progress: () -> Void
    ) async throws {
        let soak = SoakBench(engine: faces, frame: portrait)
        let verdicts = VerdictBench(
            engine: faces, matcher: try pack.matcher(), frame: portrait, repeats: repeats)
        report.verdict = [try await verdicts.image()]
        progress()
        report.verdict.append(try await verdicts.passive())
        progress()
        report.hourOfSessions = try await soak.sessions()
        progress()
        report.hourInOneSession = try await soak.oneSession()
        progress()
        report.pipeline = try await soak.pipeline(frames: frames)
        progress()
    }
}
