import Foundation
import MienCore
import MienFace
import MienTesting
import Testing

@Suite struct FaceMatcherTests {
    @Test("the normalized score follows the formula, and its match score the table")
    func formula() throws {
        let matcher = try FaceMatcher.made()
        var people = SyntheticPeople(seed: 5, dimension: 20)
        let a = people.direction().map { Float($0) }, b = people.direction().map { Float($0) }
        let cohort = try #require(matcher.cohort)
        let sa = try cohort.statistics(of: a), sb = try cohort.statistics(of: b)
        let cosine = CohortTests.dot(a, b)
        let expected = 0.5 * ((cosine - sa.mean) / sa.deviation + (cosine - sb.mean) / sb.deviation)
        let (ra, rb) = (try matcher.reference(for: a), try matcher.reference(for: b))
        #expect(abs(matcher.normalizedScore(ra, rb) - expected) < 1e-3)
        #expect(ra.statistics == sa && ra.vector == a)
        #expect(
            matcher.score(ra, rb)
                == matcher.calibration.matchScore(of: Double(matcher.normalizedScore(ra, rb))))
    }

    @Test("without normalization, the score is the cosine, also in a gallery")
    func plainCosine() throws {
        let matcher = FaceMatcher(
            dimension: 20,
            calibration: try .made([(0, -1), (0.5, -4), (1, -6)], normalization: .none))
        var people = SyntheticPeople(seed: 5, dimension: 20)
        let a = people.direction().map { Float($0) }, b = people.direction().map { Float($0) }
        let (ra, rb) = (try matcher.reference(for: a), try matcher.reference(for: b))
        #expect(abs(matcher.normalizedScore(ra, rb) - CohortTests.dot(a, b)) < 1e-6)
        #expect(matcher.score(ra, ra) == MatchScore(72))
        var gallery = Gallery<Int>(matcher: matcher)
        gallery.insert(ra, id: 1)
        gallery.insert(rb, id: 2)
        let found = gallery.identify(rb, limit: 2)
        #expect(found.map(\.id) == [2, 1])
        #expect(abs(found[1].normalizedScore - CohortTests.dot(a, b)) < 1e-6)
        #expect(throws: VectorError.dimension(expected: 20, got: 2)) {
            try matcher.reference(for: [1, 0])
        }
    }

    @Test("shrunk deviations lie halfway to the typical one")
    func shrunk() throws {
        let plain = try FaceMatcher.made(), cohort = try #require(plain.cohort)
        let matcher = FaceMatcher(
            cohort: cohort,
            calibration: try .made(
                [(-2, -1), (12, -6)], normalization: .asNormShrunk, typicalDeviation: 0.08))
        var people = SyntheticPeople(seed: 5, dimension: 20)
        let a = people.direction().map { Float($0) }
        let before = try plain.reference(for: a).statistics,
            after = try matcher.reference(for: a).statistics
        #expect(after.mean == before.mean)
        #expect(abs(after.deviation - 0.5 * (before.deviation + 0.08)) < 1e-6)
    }

    @Test("a kept reference and a new one give identical scores")
    func kept() throws {
        let matcher = try FaceMatcher.made()
        var people = SyntheticPeople(seed: 8, dimension: 20)
        let enrolled = people.direction().map { Float($0) }
        let kept = try matcher.reference(for: enrolled)
        for _ in 0..<50 {
            let probe = people.direction().map { Float($0) }
            let recomputed = matcher.normalizedScore(
                try matcher.reference(for: probe), try matcher.reference(for: enrolled))
            #expect(matcher.normalizedScore(try matcher.reference(for: probe), kept) == recomputed)
        }
    }

    @Test("the order of the faces does not matter")
    func symmetric() throws {
        let matcher = try FaceMatcher.made()
        var people = SyntheticPeople(seed: 6, dimension: 20)
        for _ in 0..<20 {
            let a = try matcher.reference(for: people.direction().map { Float($0) })
            let b = try matcher.reference(for: people.direction().map { Float($0) })
            #expect(abs(matcher.normalizedScore(a, b) - matcher.normalizedScore(b, a)) < 1e-5)
        }
    }

    @Test("a face matches itself at the top of the scale, and its opposite not at all")
    func extremes() throws {
        let matcher = try FaceMatcher.made()
        var people = SyntheticPeople(seed: 7, dimension: 20)
        let a = people.direction().map { Float($0) }
        let (same, opposite) = (
            try matcher.reference(for: a), try matcher.reference(for: a.map { -$0 })
        )
        #expect(matcher.score(same, same) > matcher.score(same, opposite))
        #expect(matcher.score(same, opposite) == MatchScore(0))
    }

    @Test("a vector of another network is rejected")
    func otherNetwork() throws {
        let matcher = try FaceMatcher.made()
        #expect(throws: VectorError.dimension(expected: 20, got: 2)) {
            try matcher.reference(for: [1, 0])
        }
        #expect(throws: VectorError.notUnit(length: 2)) {
            try matcher.reference(for: [2] + [Float](repeating: 0, count: 19))
        }
    }
}
