import Foundation
import MienFace
import Testing

@Suite("Face quality")
struct FaceQualityTests {
    private let quality = FaceQuality(parts: [
        .init(.size, value: 50, grade: 90, reason: .tooSmall),
        .init(.sharpness, value: 0.05, grade: 12, reason: .blurred),
        .init(.pose, value: 36, grade: 47, reason: .notFrontal),
        .init(.eyes, value: 0.1, grade: 48, reason: .eyesClosed),
    ])

    @Test("the score is the lowest grade")
    func score() {
        #expect(quality.score == 12)
        #expect(FaceQuality(parts: []).score == 0)
    }

    @Test("reasons are those below the threshold, worst first")
    func reasons() {
        #expect(quality.reasons() == [.blurred, .notFrontal])
        #expect(quality.reasons(below: 12) == [])
        #expect(quality.reasons(below: 49) == [.blurred, .notFrontal, .eyesClosed])
        #expect(quality.reasons(below: 101).count == 4)
    }

    @Test("the default threshold is 48")
    func threshold() { #expect(FaceQuality.defaultThreshold == 48) }

    @Test("a grade is an integer in 0…100, and NaN becomes 0")
    func grade() {
        func grade(_ value: Double) -> Int {
            FaceQuality.Part(.size, value: 1, grade: value, reason: .tooSmall).grade
        }
        #expect(
            [-5, 0.4, 0.6, 47.5, 99.6, 300, .infinity, -.infinity, .nan].map(grade) == [
                0, 0, 1, 48, 100, 100, 100, 0, 0,
            ])
    }

    @Test("a part is found by its aspect")
    func lookup() {
        #expect(quality[.pose]?.value == 36)
        #expect(quality[.framing] == nil)
    }

    @Test("quality survives encoding and decoding")
    func coding() throws {
        #expect(
            try JSONDecoder().decode(FaceQuality.self, from: JSONEncoder().encode(quality))
                == quality)
    }
}
