import MienAPI
import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer

/// The words with which a page says why a capture was refused. The page shows the text of the first
/// reason, `refusal_` and its name: `Tests/Web/test_capture.py` reads it there.
@Suite("Words of refusals")
struct RefusalWordsTests {
    /// A change of the face after it has kept still.
    enum Change: CaseIterable {
        case anotherInPlace, anotherElsewhere, elsewhere, gone

        var look: MadeLook? {
            switch self {
            case .anotherInPlace: MadeLook(person: 1)
            case .anotherElsewhere: MadeLook(person: 1, x: 600)
            case .elsewhere: MadeLook(x: 600)
            case .gone: nil
            }
        }

        /// The reasons whose text fits.
        var reasons: Set<SessionRefusal> {
            switch self {
            case .anotherInPlace, .anotherElsewhere: [.faceChanged]
            case .elsewhere, .gone: [.faceJumped, .faceLost]
            }
        }
    }

    private static let entry = try! FaceTemplate.Entry(
        descriptor: FaceDescriptor([1, 0]), quality: 80, pose: .frontal)

    /// The reasons for which a verification is refused in which a face changes.
    private static func verification(_ change: Change) throws -> [SessionRefusal] {
        var session = try FaceVerification(
            capture: #require(CaptureID("cap_1")),
            settings: VerificationSettings(mode: .livenessPassive), comparesFaces: false)
        var look: MadeLook? = MadeLook()
        for index in 0..<500 where session.verdict == nil {
            _ = session.handle(.made(look, index: index, at: .milliseconds(40 * index)))
            guard session.wantsExtraction else { continue }
            session.extracted(entry, score: nil)
            look = change.look
        }
        return try #require(session.verdict).refusals
    }

    /// The same for an enrollment, whose first frame is taken when the face has kept still.
    private static func enrollment(_ change: Change) throws -> [SessionRefusal] {
        var session = try FaceEnrollment(
            capture: #require(CaptureID("cap_1")),
            settings: EnrollmentSettings(
                mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2))
        var look: MadeLook? = MadeLook()
        for index in 0..<500 where session.verdict == nil {
            _ = session.handle(.made(look, index: index, at: .milliseconds(40 * index)))
            guard session.wantsExtraction else { continue }
            session.extracted(entry)
            look = change.look
        }
        return try #require(session.verdict).refusals
    }

    @Test(
        "a face that differs is told so, and only one that left is told to stay in the oval, in every language",
        arguments: Change.allCases)
    func causes(change: Change) throws {
        for refusals in try [Self.verification(change), Self.enrollment(change)] {
            let first = try #require(refusals.first)
            #expect(change.reasons.contains(first), "\(first)")
            for language in try WebLanguages().all {
                func text(_ reason: String) -> String? { language.texts["refusal_\(reason)"] }
                let shown = try #require(text(first.rawValue))
                for cause in Change.allCases {
                    for reason in cause.reasons {
                        #expect(
                            (text(reason.rawValue) == shown) == (cause.reasons == change.reasons),
                            "\(language.tag): \(reason.rawValue)")
                    }
                }
            }
        }
    }

    @Test("every reason that the server sends has a text, and two reasons of one cause have one")
    func complete() throws {
        let texts = try #require(try WebLanguages()["en"]).texts
        for reason in CaptureReason.allCases {
            #expect(texts["refusal_\(reason.rawValue)"] != nil, "\(reason.rawValue)")
        }
        #expect(texts["refusal_face_changed"] == texts["refusal_different_face"])
    }
}
