import ArgumentParser
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// `mien-bench liveness enrollment`
struct LiveEnrollmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrollment",
        abstract: "Compare people with templates that live enrollments of other clips made.",
        discussion: """
            Enrolls one man in each of his clips, with the four frames that a live enrollment takes by \
            default, and compares a frame of every other clip with the template; with PHOTOS, \
            all of them, too, as other people. The same for templates of fewer frames.

            EXAMPLE
              mien-bench liveness enrollment clips lfw-dev/images
            """)

    @Argument(help: ArgumentHelp("The folder of clips, intel-sample-videos."))
    var clips: String
    @Argument(help: ArgumentHelp("A folder with one folder of photos per person."))
    var photos: String?
    @OptionGroup var engine: EngineOptions

    func run() async throws {
        let clips = try Clips(existing: clips)
        let others = try photos.map { try PhotoCollection($0) }
        let pack = try engine.loadPack()
        let faces = try engine.loadEngine(pack), matcher = try pack.matcher()
        var enrolled: [[FaceDescriptor]] = [], refusals: [String: Int] = [:]
        for name in Clips.signs + Clips.otherSigns {
            switch try await outcome(clips, Clips.sign(name), faces) {
            case .captured(let captures): enrolled.append(captures.map(\.entry.descriptor))
            case .refused(let reasons):
                refusals[reasons.first.map { $0.rawValue } ?? "?", default: 0] += 1
            }
        }
        let strangers = try await Self.descriptors(of: others, faces)
        let refused = refusals.sorted { $0.key < $1.key }.map { "\($0.value) refused: \($0.key)" }
        print((["\(enrolled.count) clips with four frames"] + refused).joined(separator: ", "))
        let probes = try enrolled.map { try matcher.reference(for: $0[0]) }
        let unknown = try strangers.map { try matcher.reference(for: $0) }
        var rows: [[String]] = []
        for count in [1, 2, 4] {
            var own: [Double] = [], foreign: [Double] = []
            for (index, entries) in enrolled.enumerated() {
                let template = try matcher.reference(
                    for: FaceDescriptor(
                        normalizing: Self.sum(Array(entries.prefix(count)))))
                for (other, probe) in probes.enumerated() where other != index {
                    own.append(matcher.score(probe, template).value)
                }
                foreign += unknown.map { matcher.score($0, template).value }
            }
            func cell(_ scores: [Double], _ limit: Double) -> String {
                scores.isEmpty ? "–" : "\(scores.count { $0 >= limit }) of \(scores.count.grouped)"
            }
            rows.append(
                [
                    "\(count)", cell(own, 48), cell(own, 60), cell(foreign, 48),
                    cell(foreign, 60), String.decimal(own.min() ?? 0, 1),
                ])
        }
        print(
            Terminal.table(
                rows,
                heading: [
                    "frames", "accepted at 48", "at 60", "false matches at 48", "at 60",
                    "lowest own score",
                ]))
    }

    /// The descriptors of all photos that show a face.
    private static func descriptors(of photos: PhotoCollection?, _ faces: FaceEngine)
        async throws -> [FaceDescriptor]
    {
        guard let photos else { return [] }
        let progress = ProgressBar("Processing photos", total: photos.photos.count)
        defer { progress.finish() }
        var descriptors: [FaceDescriptor] = []
        for (done, photo) in photos.photos.enumerated() {
            if let image = try? ImageFile.decode(photo.path),
                let found = try await faces.describe(image)
            {
                descriptors.append(found.description.descriptor)
            }
            progress.update(done + 1)
        }
        return descriptors
    }

    /// Plays a clip to an enrollment. The man's hands pass his face, which ends a session, so
    /// he tries again half a second later, as people do; the first outcome stands for a clip in which
    /// every try fails.
    private func outcome(_ clips: Clips, _ name: String, _ faces: FaceEngine) async throws
        -> EnrollmentVerdict.Outcome
    {
        let images = try await clips.frames(name)
        let settings = try EnrollmentSettings(mode: .image, countdownToCapture: .zero)
        var first: EnrollmentVerdict.Outcome?
        for start in stride(from: 0, to: images.count, by: 6) {
            let frames = images[start...].enumerated().map { index, image in
                Frame(image: image, time: .milliseconds(1000 * index / 12))
            }
            let verdict = try await FaceEnroller(reader: faces, settings: settings).verdict(
                of: FrameArray(frames), capture: CaptureID("cap_\(name.hashValue.magnitude)")!)
            if verdict.isCaptured { return verdict.outcome }
            first = first ?? verdict.outcome
        }
        return first ?? .refused([])
    }

    private static func sum(_ descriptors: [FaceDescriptor]) -> [Float] {
        var sum = [Float](repeating: 0, count: descriptors[0].dimensions)
        for descriptor in descriptors {
            descriptor.withValues { values in for i in values.indices { sum[i] += values[i] } }
        }
        return sum
    }
}
