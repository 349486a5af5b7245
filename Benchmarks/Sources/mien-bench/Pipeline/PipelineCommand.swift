import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// `mien-bench pipeline`
struct PipelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipeline",
        abstract: "Measure the face pipeline, comparison, search, and start.",
        discussion: """
            Prints every figure next to its budget. With --compare, dlib's pipeline runs on the same \
            decoded photos in the same run (make bench builds it). The ratio counts, because machines \
            differ and are noisy. Figures are processor time of one thread unless stated otherwise.

            EXAMPLE
              mien-bench pipeline
              mien-bench pipeline --gallery 1000000
            """)

    @Flag(help: "Also run dlib's pipeline.") var compare = false
    @Option(help: ArgumentHelp("The program that runs dlib's pipeline.", valueName: "dlib-peer"))
    var peer: String?
    @Option(help: ArgumentHelp("The folder with dlib's models.", valueName: "folder"))
    var peerModels: String?
    @Option(help: ArgumentHelp("How often to repeat every measurement.", valueName: "count"))
    var repeats = 20
    @Option(help: ArgumentHelp("Number of entries in the searched gallery.", valueName: "count"))
    var gallery = 100_000
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (3...1000).contains(repeats) else {
            throw ValidationError("--repeats must be 3 to 1000, not \(repeats)")
        }
        guard (1...10_000_000).contains(gallery) else {
            throw ValidationError("--gallery must be 1 to 10,000,000, not \(gallery)")
        }
        guard !compare || (peer != nil && peerModels != nil) else {
            throw ValidationError(
                "--compare needs --peer and --peer-models; make bench builds the program and passes both"
            )
        }
    }

    func run() async throws {
        let program = try mien.program(), pack = try engine.loadPack()
        let matcher = try pack.matcher()
        let photos = try DemoPhotos.all(in: engine.home)
        let fitted = photos.map { ($0.name, PipelineBench.fitted($0.image)) }
        let faces = try engine.loadEngine(pack, crops: [FaceDescriber.Crop()])
        let bench = PipelineBench(engine: faces, repeats: repeats)
        var report = PipelineReport()

        let progress = ProgressBar(
            "Measuring", total: 2 * photos.count + 2 + (compare ? photos.count : 0))
        var done = 0
        func step() {
            done += 1
            progress.update(done)
        }
        for (size, set) in [("640×480", fitted), ("full size", photos.map { ($0.name, $0.image) })]
        {
            var ours: [PipelineBench.Result] = []
            for (name, image) in set {
                ours.append(try await bench.run(name, image))
                step()
            }
            report.pipeline.append(.init(size: size, ours: ours, peer: try peerResults(set)))
        }
        report.match = try MatchBench(matcher: matcher, repeats: repeats).run(galleryCount: gallery)
        step()
        report.start = try StartBench(program: program).run(
            photo: engine.home.demoPhotos.appending(path: DemoPhotos.names[1]).path,
            packs: engine.home.packs, pack: pack.id.text)
        progress.finish()
        if output.json { JSON.print(report) } else { print(report.text) }
    }

    private func peerResults(_ photos: [(String, RGBImage)]) throws -> [PeerBench.Result]? {
        guard compare, let peer, let peerModels else { return nil }
        let bench = PeerBench(
            program: URL(filePath: peer),
            models: URL(filePath: peerModels, directoryHint: .isDirectory),
            repeats: max(3, repeats / 4))
        return try bench.run(photos.map { (name: $0.0, image: $0.1) })
    }
}
