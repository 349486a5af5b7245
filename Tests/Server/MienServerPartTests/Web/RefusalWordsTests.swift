import Testing

@testable import MienServer

/// The words with which a page says why a capture was refused.
@Suite("Words of refusals")
struct RefusalWordsTests {
    @Test("a face that differs is told from one that left the picture, in every language")
    func changed() throws {
        for language in try WebLanguages().all {
            let changed = try #require(language.texts["refusal_face_changed"])
            #expect(changed == language.texts["refusal_different_face"])
            for lost in ["refusal_face_lost", "refusal_face_jumped"] {
                #expect(language.texts[lost] != changed, "\(language.tag)")
            }
        }
    }
}
