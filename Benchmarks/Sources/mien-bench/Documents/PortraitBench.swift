import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// Compares degraded portraits with other photos of the same people, and of all others.
struct PortraitBench {
    struct Result: Encodable {
        /// Two parts with different people: thresholds are set on the first and reported on the
        /// second.
        var parts: [Part]
    }

    struct Part: Encodable {
        var people: Int
        /// Portraits in which no face was found.
        var notFound: Int
        /// Portraits below the limits of quality.
        var refused: Int
        var genuinePairs: Int
        var impostorPairs: Int
        var rates: [Rate]
    }

    struct Rate: Encodable {
        var threshold: Double
        var falseMatches: Int
        var falseMatchRate: Double
        /// 95 %, by bootstrap over the people of the portraits.
        var falseMatchInterval: [Double]
        var falseNonMatches: Int
        var falseNonMatchRate: Double
        /// 95 %, Wilson. Each person counts once.
        var falseNonMatchInterval: [Double]
    }

    static let thresholds: [Double] = [18, 24, 30, 36, 42, 43, 44, 45, 46, 47, 48, 54, 60]

    let engine: EngineOptions
    let seed: UInt64

    private struct Person {
        var name: String
        var portrait: Reference?
        var outcome: Outcome
        var selfies: [Reference]
        enum Outcome { case described, refused, notFound, noSecondPhoto }
    }

    func run(_ collection: PhotoCollection) async throws -> Result {
        let pack = try engine.loadPack(), matcher = try pack.matcher()
        let faces = try engine.loadEngine(pack, workers: 2)
        let grouped = Dictionary(grouping: collection.photos) {
            URL(filePath: $0.path).deletingLastPathComponent().lastPathComponent
        }
        let names = grouped.keys.sorted()
        let progress = ProgressBar("Describing people", total: names.count)
        defer { progress.finish() }
        var people: [Person] = []
        for (done, name) in names.enumerated() {
            let paths = (grouped[name] ?? []).map(\.path).sorted().prefix(2).map { $0 }
            var random = SeededGenerator(seed: seed &+ UInt64(done))
            people.append(try await person(name, paths, matcher, faces, &random))
            progress.update(done + 1)
        }
        // By the name's bytes, so that the parts are the same everywhere.
        let parts = [0, 1].map { part in
            people.filter { $0.name.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 1 == part }
        }
        return Result(parts: parts.map { Self.measure($0, matcher) })
    }

    private func person(
        _ name: String, _ paths: [String], _ matcher: FaceMatcher, _ faces: FaceEngine,
        _ random: inout SeededGenerator
    ) async throws -> Person {
        // The last photo is the selfie; the first, if it is another one, is printed.
        guard let last = paths.last else {
            return Person(name: name, outcome: .noSecondPhoto, selfies: [])
        }
        var selfies: [Reference] = []
        if let found = try await faces.describe(try ImageFile.decode(last)) {
            selfies.append(try matcher.reference(for: found.description.descriptor))
        }
        guard paths.count > 1 else {
            return Person(name: name, outcome: .noSecondPhoto, selfies: selfies)
        }
        let view = PrintedPortrait(try ImageFile.decode(paths[0]), &random).view
        let found = try await faces.run {
            analyzer, networks -> (isFound: Bool, descriptor: FaceDescriptor?) in
            guard let portrait = try PortraitFinder(analyzer).portrait(in: [view], with: networks)
            else { return (false, nil) }
            guard portrait.reasons.isEmpty else { return (true, nil) }
            return (
                true,
                try analyzer.describe(portrait.face, in: view, with: networks).descriptor
            )
        }
        return Person(
            name: name, portrait: try found.descriptor.map { try matcher.reference(for: $0) },
            outcome: found.descriptor != nil ? .described : found.isFound ? .refused : .notFound,
            selfies: selfies)
    }

    private static func measure(_ people: [Person], _ matcher: FaceMatcher) -> Part {
        let printed = people.filter { $0.portrait != nil && !$0.selfies.isEmpty }
        let genuine = printed.map { person in
            matcher.score(person.portrait!, person.selfies[0]).value
        }
        var counts = [[Int]](
            repeating: [Int](repeating: 0, count: thresholds.count), count: printed.count)
        var impostors = [Int](repeating: 0, count: printed.count)
        for (k, person) in printed.enumerated() {
            for other in people where other.name != person.name {
                for selfie in other.selfies {
                    impostors[k] += 1
                    let score = matcher.score(person.portrait!, selfie).value
                    for (t, threshold) in thresholds.enumerated() where score >= threshold {
                        counts[k][t] += 1
                    }
                }
            }
        }
        let pairs = impostors.reduce(0, +)
        let rates = thresholds.enumerated().map { t, threshold -> Rate in
            let matches = counts.reduce(0) { $0 + $1[t] }
            let missed = genuine.count { $0 < threshold }
            return Rate(
                threshold: threshold, falseMatches: matches,
                falseMatchRate: Double(matches) / Double(max(pairs, 1)),
                falseMatchInterval: bootstrap(counts.map { $0[t] }, impostors),
                falseNonMatches: missed,
                falseNonMatchRate: Double(missed) / Double(max(genuine.count, 1)),
                falseNonMatchInterval: wilson(missed, genuine.count))
        }
        return Part(
            people: people.count, notFound: people.count { $0.outcome == .notFound },
            refused: people.count { $0.outcome == .refused }, genuinePairs: genuine.count,
            impostorPairs: pairs, rates: rates)
    }

    private static func bootstrap(_ errors: [Int], _ trials: [Int]) -> [Double] {
        guard errors.contains(where: { $0 > 0 }) else {
            // The rule of three, for independent people.
            return [0, min(1, 3 / Double(max(trials.count, 1)))]
        }
        var random = SeededGenerator(seed: 1), found: [Double] = []
        for _ in 0..<1000 {
            var wrong = 0, all = 0
            for _ in errors.indices {
                let k = Int.random(in: errors.indices, using: &random)
                wrong += errors[k]
                all += trials[k]
            }
            found.append(Double(wrong) / Double(max(all, 1)))
        }
        found.sort()
        return [found[25], found[974]]
    }

    private static func wilson(_ errors: Int, _ count: Int) -> [Double] {
        let n = Double(max(count, 1)), p = Double(errors) / n, z = 1.96
        let middle = p + z * z / (2 * n)
        let spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        return [(middle - spread), (middle + spread)].map { max(0, $0) / (1 + z * z / n) }
    }
}
