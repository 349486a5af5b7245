import Foundation
import MienCore
import MienFace
import MienModels
import MienTools
import MienVault

/// The shared parts of the face commands: an engine, its pack's matcher, and the enrolled people.
struct LocalFaces {
    let engine: FaceEngine
    let matcher: FaceMatcher
    let store: LocalFaceStore
    private let photos: PhotoOptions

    /// - Parameter person: the person to compare with. Unless a pack was named, the pack that
    ///   enrolled them is used, so that a new default pack locks nobody out.
    init(
        _ options: EngineOptions, photos: PhotoOptions, for person: PersonName? = nil,
        workers: Int = 1, looksForAttacks: Bool = false
    ) throws {
        let people = try options.home.openStore()
        store = people
        let enrolledWith = try person.flatMap { try people.find($0)?.template.packID }
        let id = options.pack(for: enrolledWith)
        if id != options.pack {
            Terminal.warn(
                "mien: comparing with \(id.text), which enrolled this person; a live mien token code, or enrolling again, changes to \(options.pack.text)"
            )
        }
        let pack = try PackLibrary(folder: options.home.packs).pack(id)
        matcher = try pack.matcher()
        engine = try options.loadEngine(pack, workers: workers, looksForAttacks: looksForAttacks)
        self.photos = photos
    }

    /// The main face of one photo, with its description.
    struct Capture: Sendable {
        let path: String
        let face: AnalyzedFace
        let description: FaceDescription
        let reasons: [QualityReason]
        var quality: Int { face.quality.score }
    }

    /// - Parameters:
    ///   - minQuality: the minimum quality; a worse photo is refused with its reasons. So is one
    ///     whose scores would not mean what the calibration says, whatever the minimum.
    ///   - search: ``FaceAnalyzer/Search/thorough`` also finds small faces next to a large one.
    /// - Throws: ``Failure`` that names the photo.
    func capture(_ path: String, minQuality: Int, search: FaceAnalyzer.Search = .automatic)
        async throws -> Capture
    {
        let image = try photos.decode(path)
        guard let (face, description) = try await engine.describe(image, search: search) else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue, "\(path): \(QualityReason.noFace.advice)")
        }
        guard face.quality.score >= minQuality else {
            let advice = face.quality.reasons(below: minQuality).map(\.advice).joined(
                separator: "; ")
            throw Failure(
                .badInput, face.quality.reasons(below: minQuality).first?.rawValue ?? "quality",
                "\(path): the quality is \(face.quality.score) of 100, \(minQuality) is required: \(advice)"
            )
        }
        let reasons = face.quality.reasonsNotToScore()
        if let worst = reasons.first {
            throw Failure(
                .badInput, worst.rawValue,
                "\(path): a score would not have the meaning that was measured: \(reasons.map(\.advice).joined(separator: "; "))"
            )
        }
        return Capture(
            path: path, face: face, description: description, reasons: face.quality.reasons())
    }

    /// Returns the person enrolled as `name` with the pack in use.
    func enrolled(_ name: PersonName) throws -> EnrolledFace {
        let person = try known(name)
        try requirePack(of: person)
        return person
    }

    /// Returns the person enrolled as `name` with any pack.
    func known(_ name: PersonName) throws -> EnrolledFace {
        guard let person = try store.find(name) else {
            throw Failure(
                .badInput, "name.unknown",
                "nobody is enrolled as “\(name.text.inSentence)”; mien face list shows the enrolled people"
            )
        }
        return person
    }

    /// Refuses a template of another pack, because descriptors of different packs are not
    /// comparable.
    func requirePack(of person: EnrolledFace) throws {
        guard person.template.packID == engine.packID else {
            throw Failure(
                .badInput, "template.other-pack",
                "“\(person.name.text.inSentence)” was enrolled with the model pack \(person.template.packID.text), but \(engine.packID.text) is in use; "
                    + "enroll again, or add --pack \(person.template.packID.text)")
        }
    }

    func score(_ capture: Capture, against template: FaceTemplate) throws -> MatchScore {
        try score(capture.description, against: template)
    }

    func score(_ description: FaceDescription, against template: FaceTemplate) throws -> MatchScore
    {
        matcher.score(
            try matcher.reference(for: description.descriptor), try matcher.reference(for: template)
        )
    }

    static func now() -> Instant {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
