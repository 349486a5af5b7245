import ArgumentParser
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienModels
import MienTools
import MienVault

/// `mien face enroll NAME PHOTO…`
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Enroll a person from photos, or live.",
        discussion: """
            From one to eight photos, a person is enrolled for recognition: the face unlocks nothing. \
            With --camera or --video, the person shows that they are live, and the device's PIN \
            confirms the enrollment, so that the face can unlock tokens and keys. The first time, a \
            PIN is chosen.

            Each photo must show one face of good quality, or one prominent face, with any other less \
            than 0.7 times as wide. All photos must show the same person. Otherwise, nothing changes. \
            Enrolling a name again replaces the previous enrollment. Only descriptors are stored, \
            sealed; photos are not.

            EXAMPLE
              mien face enroll ada ada1.jpg ada2.jpg
              mien face enroll ada --camera
              mien face enroll ada --camera "Integrated Camera" --views full
            """)

    @Argument(help: "The person's name, 1 to 64 characters.") var name: String
    @Argument(help: "One to eight photos: PNG, JPEG, or GIF.") var photos: [String] = []
    @OptionGroup var live: EnrollLiveOptions
    @Option(help: "Refuse photos and frames below this quality, 0 to 100.") var quality =
        FaceQuality
        .defaultThreshold
    @OptionGroup var photo: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    /// Photos of one enrollment that match with a lower score than this (1 in 100 strangers) are
    /// treated as photos of different people.
    private static let samePerson = MatchScore(24)

    func validate() throws {
        if live.isLive {
            guard photos.isEmpty else {
                throw ValidationError("photos cannot be combined with --camera or --video")
            }
        } else {
            guard FaceTemplate.entryRange.contains(photos.count) else {
                throw ValidationError(
                    "name one to eight photos, not \(photos.count), or add --camera or --video")
            }
        }
        guard (0...100).contains(quality) else {
            throw ValidationError("--quality must be 0 to 100, not \(quality)")
        }
    }

    func run() async throws {
        let name = try PersonName(name)
        if live.isLive {
            return try await EnrollLive(
                name: name, options: live, quality: quality, engine: engine, isJSON: output.json
            ).run()
        }
        let faces = try LocalFaces(engine, photos: photo)
        let progress = ProgressBar("Enrolling", total: photos.count)
        var captures: [LocalFaces.Capture] = []
        for path in photos {
            captures.append(try await faces.capture(path, minQuality: quality, search: .thorough))
            progress.update(captures.count)
        }
        progress.finish()
        try requireOnePerson(captures, faces)
        let entries = try captures.map {
            try FaceTemplate.Entry(
                descriptor: $0.description.descriptor, quality: UInt8($0.quality),
                pose: $0.face.pose)
        }
        let template = try FaceTemplate(
            entries: entries, packID: faces.engine.packID, createdAt: LocalFaces.now())
        // The old face's permissions do not pass to the new face.
        let outcome: LocalFaceStore.PutOutcome =
            try faces.store.find(name) == nil ? .added : .replaced
        let service = try DeviceFaces.service(faces.engine.packID)
        try await service.initialize(frames: .photos(photos[0]))
        try await service.enroll(template, as: name)
        report(name, captures, outcome, faces)
    }

    private func requireOnePerson(_ captures: [LocalFaces.Capture], _ faces: LocalFaces) throws {
        let references = try captures.map {
            try faces.matcher.reference(for: $0.description.descriptor)
        }
        for i in references.indices {
            for j in references.indices where j > i {
                let score = faces.matcher.score(references[i], references[j])
                guard score < Self.samePerson else { continue }
                throw Failure(
                    .badInput, "enroll.different-people",
                    "\(captures[i].path) and \(captures[j].path) do not look like one person (score \(ScoreOutput.sentence(score))); "
                        + "remove one of them")
            }
        }
    }

    private func report(
        _ name: PersonName, _ captures: [LocalFaces.Capture], _ outcome: LocalFaceStore.PutOutcome,
        _ faces: LocalFaces
    ) {
        guard !output.json else {
            JSON.print(
                Output(
                    name: name.text, replaced: outcome == .replaced, pack: faces.engine.packID.text,
                    photos: captures.map {
                        .init(photo: $0.path, quality: $0.quality, reasons: $0.reasons)
                    }))
            return
        }
        let photos = captures.count == 1 ? "one photo" : "\(captures.count) photos"
        print(
            outcome == .replaced
                ? "Replaced the enrollment of \(name.text.inSentence) with \(photos)."
                : "Enrolled \(name.text.inSentence) from \(photos).")
        print(Terminal.table(captures.map { ["  " + $0.path, "quality \($0.quality)"] }))
    }

    private struct Output: Encodable {
        struct Photo: Encodable {
            let photo: String
            let quality: Int
            let reasons: [QualityReason]
        }
        let name: String
        let replaced: Bool
        let pack: String
        let photos: [Photo]
    }
}
