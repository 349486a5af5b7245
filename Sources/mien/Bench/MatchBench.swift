import MienCore
import MienFace

/// Comparisons, over vectors drawn at random: their cost does not depend on whose they are. DESIGN §8, row 3, and 1:N.
struct MatchBench {
    let matcher: FaceMatcher
    let repeats: Int

    struct Result: Encodable {
        /// A probe's cohort statistics and its comparison with a template whose statistics are known.
        let oneToOne: Stopwatch.Summary
        let gallery: Int
        /// Top 5 of the whole gallery for a probe whose statistics are known.
        let identify: Stopwatch.Summary
    }

    func run(galleryCount: Int) throws -> Result {
        var random = SeededGenerator(seed: 1)
        let dimension = matcher.cohort.dimension
        func vector() -> [Float] {
            let values = (0..<dimension).map { _ in random.normal() }
            let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return values.map { Float($0 / length) }
        }
        let probe = vector()
        let template = try matcher.reference(for: vector())
        let oneToOne = try Stopwatch.measure(10 * repeats) { _ = matcher.score(try matcher.reference(for: probe), template) }

        var gallery = Gallery<Int>(matcher: matcher)
        gallery.reserveCapacity(galleryCount)
        for i in 0..<galleryCount { gallery.insert(try matcher.reference(for: vector()), id: i) }
        let reference = try matcher.reference(for: probe)
        let identify = Stopwatch.measure(repeats) { _ = gallery.identify(reference, limit: 5) }
        return Result(oneToOne: oneToOne, gallery: galleryCount, identify: identify)
    }
}
