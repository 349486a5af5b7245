import MienCore
import MienFace

/// Comparisons of random vectors, because their cost does not depend on the people:
/// docs/facts.md §5, row 3, and 1:N.
struct MatchBench {
    let matcher: FaceMatcher
    let repeats: Int

    struct Result: Encodable {
        /// Two unknown descriptors: the cohort statistics of both, and their comparison.
        let oneToOne: Stopwatch.Summary
        /// The same with one side's reference cached, as for an enrolled person who is verified
        /// repeatedly.
        let oneToOneKept: Stopwatch.Summary
        /// The comparison alone, with both sides' references cached.
        let bothKept: Stopwatch.Summary
        let gallery: Int
        /// A search for the top 5 of the whole gallery, for a probe whose statistics are known.
        let identify: Stopwatch.Summary
        /// Reading as many numbers from memory, once, without computing anything but their sum.
        let stream: Stopwatch.Summary
    }

    /// The number of different templates in the gallery, which repeat. Most of the time would go
    /// into making them.
    private static let different = 1000

    func run(galleryCount: Int) throws -> Result {
        var random = SeededGenerator(seed: 1)
        let dimension = matcher.dimension
        func vector() -> [Float] {
            let values = (0..<dimension).map { _ in random.normal() }
            let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return values.map { Float($0 / length) }
        }
        let probe = vector(), template = vector()
        let reference = try matcher.reference(for: probe),
            kept = try matcher.reference(for: template)
        let oneToOne = try Stopwatch.measure(10 * repeats) {
            _ = matcher.score(
                try matcher.reference(for: probe), try matcher.reference(for: template))
        }
        let oneToOneKept = try Stopwatch.measure(10 * repeats) {
            _ = matcher.score(try matcher.reference(for: probe), kept)
        }
        let bothKept = Stopwatch.measure(10 * repeats) { _ = matcher.score(reference, kept) }

        var gallery = Gallery<Int>(matcher: matcher)
        gallery.reserveCapacity(galleryCount)
        let references = try (0..<min(Self.different, galleryCount)).map { _ in
            try matcher.reference(for: vector())
        }
        for i in 0..<galleryCount { gallery.insert(references[i % references.count], id: i) }
        let identify = Stopwatch.measure(repeats) { _ = gallery.identify(reference, limit: 5) }
        let numbers = [SIMD16<Float>](
            repeating: .one, count: galleryCount * ((dimension + 15) / 16))
        var sum = SIMD16<Float>.zero
        let stream = Stopwatch.measure(repeats) {
            // Four sums, so that no addition waits for another one.
            var sums = (sum, sum, sum, sum), index = 0
            while index + 3 < numbers.count {
                sums.0 += numbers[index]
                sums.1 += numbers[index + 1]
                sums.2 += numbers[index + 2]
                sums.3 += numbers[index + 3]
                index += 4
            }
            sum = sums.0 + sums.1 + sums.2 + sums.3
        }
        // Otherwise the compiler could leave out the sum.
        precondition(sum[0] > 0)
        return Result(
            oneToOne: oneToOne, oneToOneKept: oneToOneKept, bothKept: bothKept,
            gallery: galleryCount, identify: identify, stream: stream)
    }
}
