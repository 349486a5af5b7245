import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools
import MienVault

/// `mien demo`: the first complete task, with photos that scripts/setup downloaded.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Enroll a person, verify others, refuse a stranger; then log in with a face, and verify identities, over HTTP.",
        discussion: """
            Uses the photos that scripts/setup downloaded. The second part starts a server on a free \
            port of this machine and acts like an app: sign up, register a face, log in with another \
            photo, be refused as a stranger, be locked after five attempts, be unlocked. The third part \
            verifies identities of invented people, and their signed evidence; the fourth passports \
            that are drawn around a photo. The demo uses its own stores and deletes them afterwards.

            EXAMPLE
              mien demo
            """)

    @Option(help: ArgumentHelp("Where to write the annotated picture.", valueName: "file.png"))
    var draw: String?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    private static let enrolled = "obama.jpg"
    private static let verified = [
        "obama2.jpg", "obama3.jpg", "obama_partial_face.jpg", "obama_partial_face2.jpg",
    ]
    private static let stranger = "biden.jpg"

    struct Row: Encodable {
        let photo: String
        let expected: Bool
        let match: Bool
        let result: ScoreOutput
        /// Time from decoded photo to decision, without the decoding.
        let milliseconds: Double
    }

    func run() async throws {
        let photos = engine.home.demoPhotos
        for name in [Self.enrolled, Self.stranger] + Self.verified
        where !FileManager.default.fileExists(atPath: photos.appending(path: name).path) {
            throw Failure(
                .notSetUp, "demo.photos",
                "\(photos.appending(path: name).path) is missing; run scripts/setup")
        }
        let progress = ProgressBar("Processing photos", total: Self.verified.count + 3)
        let pack = try engine.loadPack()
        let matcher = try pack.matcher()
        let faces = try engine.loadEngine(pack, compilingAll: true)
        let work = try WorkFolder("demo")
        defer { withExtendedLifetime(work) {} }
        let store = try LocalFaceStore.open(
            folder: work.url.appending(path: "faces").path,
            keyPath: work.url.appending(path: "key").path)

        let name = try PersonName("the enrolled person")
        let template = try await enroll(photos.appending(path: Self.enrolled).path, faces)
        _ = try store.put(template, as: name)
        guard let kept = try store.find(name) else {
            throw Failure(.notSetUp, "demo.store", "the store lost the template it was given")
        }
        let reference = try matcher.reference(for: kept.template)
        var rows: [Row] = []
        for photo in Self.verified + [Self.stranger] {
            progress.update(rows.count + 1)
            rows.append(
                try await verify(photo, expected: photo != Self.stranger, reference, matcher, faces)
            )
        }
        let picture = try await annotate(photos.appending(path: Self.verified[0]).path, faces)
        progress.finish()
        let called = try await callServer(
            in: work.url.appending(path: "server", directoryHint: .isDirectory),
            portrait: portrait(photos.appending(path: Self.enrolled).path, faces))
        report(rows, picture, called)
        if rows.contains(where: { $0.match != $0.expected })
            || (called.logins + called.identities + called.documents).contains(where: {
                !$0.isRight
            })
        {
            throw Outcome.noMatch
        }
    }

    private func enroll(_ path: String, _ faces: FaceEngine) async throws -> FaceTemplate {
        guard let (face, description) = try await faces.describe(try ImageFile.decode(path)) else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue, "\(path): \(QualityReason.noFace.advice)")
        }
        let entry = try FaceTemplate.Entry(
            descriptor: description.descriptor, quality: UInt8(face.quality.score), pose: face.pose)
        return try FaceTemplate(entries: [entry], packID: faces.packID, createdAt: LocalFaces.now())
    }

    private func verify(
        _ photo: String, expected: Bool, _ reference: Reference, _ matcher: FaceMatcher,
        _ faces: FaceEngine
    ) async throws -> Row {
        let image = try ImageFile.decode(engine.home.demoPhotos.appending(path: photo).path)
        let started = ContinuousClock.now
        guard let (_, description) = try await faces.describe(image) else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue, "\(photo): \(QualityReason.noFace.advice)"
            )
        }
        let score = matcher.score(try matcher.reference(for: description.descriptor), reference)
        let took = (ContinuousClock.now - started) / .milliseconds(1)
        return Row(
            photo: photo, expected: expected, match: score >= .defaultThreshold,
            result: ScoreOutput(score), milliseconds: took)
    }

    private func annotate(_ path: String, _ faces: FaceEngine) async throws -> String {
        let image = try ImageFile.decode(path)
        let analysis = try await faces.analyze(image)
        let target =
            draw.map { URL(filePath: $0) }
            ?? engine.home.folder.appending(path: "demo/annotated.png")
        try OutputFile.write(
            Data(PNGEncoder.encode(Annotation.draw(analysis, on: image))), to: target)
        return target.path
    }

    /// The part of a photo that is printed on documents.
    private func portrait(_ path: String, _ faces: FaceEngine) async throws -> RGBImage {
        let image = try ImageFile.decode(path)
        guard let face = try await faces.analyze(image).main else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue, "\(path): \(QualityReason.noFace.advice)")
        }
        return DocumentDemo.portrait(of: image, around: face.detection.box)
    }

    /// The steps that a server answered.
    private struct Called {
        let logins, identities, documents: [LoginDemo.Step]
    }

    private func callServer(in folder: URL, portrait: RGBImage) async throws -> Called {
        let photos = engine.home.demoPhotos
        let demo = LoginDemo(
            photos: photos, registered: Self.enrolled, genuine: Self.verified,
            stranger: Self.stranger)
        let documents = DocumentDemo(
            portrait: portrait, genuine: photos.appending(path: Self.verified[0]),
            stranger: photos.appending(path: Self.stranger))
        let progress = ProgressBar("Logging in and verifying identities over HTTP", total: 1)
        defer { progress.finish() }
        let environment = IdentityDemo.environment.merging(DocumentDemo.environment) { $1 }
        return try await LoopbackServer.run(
            in: folder, home: engine.home.folder,
            environment: environment.merging(["MIEN_FACE_PACK": engine.pack.text]) { $1 }
        ) { server in
            Called(
                logins: try await demo.run(on: server),
                identities: try await IdentityDemo().run(on: server),
                documents: try await documents.run(on: server))
        }
    }

    private func report(
        _ rows: [Row], _ picture: String, _ called: Called
    ) {
        guard !output.json else {
            JSON.print(
                Output(
                    enrolled: Self.enrolled, threshold: MatchScore.defaultThreshold.value,
                    rows: rows, annotated: picture, logins: called.logins,
                    identities: called.identities, documents: called.documents))
            return
        }
        print(
            "Enrolled one photo: \(Self.enrolled). Threshold \(String.decimal(MatchScore.defaultThreshold.value)): about 1 stranger in 10,000 is accepted.\n"
        )
        let lines = rows.map { row in
            [
                row.photo, String.decimal(row.result.score), row.result.inWords,
                row.match ? "match" : "refused",
                "\(String.decimal(row.milliseconds)) ms",
            ]
        }
        print(
            Terminal.table(
                lines,
                heading: ["photo", "score", "strangers who match as well", "decision", "time"],
                rightAligned: [1, 4]))
        for (title, steps) in [
            ("Face login over HTTP, through the client SDK", called.logins),
            ("Identity verification over HTTP, with invented people", called.identities),
            ("Passports of an invented person, drawn around a demo photo", called.documents),
        ] {
            print("\n\(title):\n")
            let table = steps.map {
                [
                    $0.what, $0.got, $0.isRight ? "" : "expected: \($0.expected)",
                    "\(String.decimal($0.milliseconds, 0)) ms",
                ]
            }
            print(
                Terminal.table(table, heading: ["step", "outcome", "", "time"], rightAligned: [3]))
        }
        print("\nAnnotated picture: \(picture)")
    }

    private struct Output: Encodable {
        let enrolled: String
        let threshold: Double
        let rows: [Row]
        let annotated: String
        let logins, identities, documents: [LoginDemo.Step]
    }
}
