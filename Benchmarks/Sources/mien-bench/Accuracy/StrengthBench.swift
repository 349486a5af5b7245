import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// Measures the length of the descriptor network's vectors: how well it predicts that a photo does
/// not match others of the same person, and what spoiled crops give.
struct StrengthBench {
    struct Result: Encodable {
        var photos: Int
        /// Lengths at 0.1 %, 0.5 %, 1 %, 2 %, 5 %, 50 %, and 95 % of all photos.
        var percentiles: [Double]
        /// Two parts with different people: a limit is chosen on the first and reported on the
        /// second.
        var parts: [Part]
    }

    struct Part: Encodable {
        var people: Int
        var photos: Int
        var matedPairs: Int
        /// False non-matches at the default threshold, by the shorter vector of the pair.
        var bands: [Band]
        var limits: [Limit]
    }

    struct Band: Encodable {
        var from: Double
        var to: Double
        var pairs: Int
        var misses: Int
    }

    /// A limit, and the photos it would refuse.
    struct Limit: Encodable {
        var enough: Double
        /// Photos that every other aspect of quality accepts, and how many of them the limit refuses.
        var good: Int
        var goodRefused: Int
        /// Mated pairs of accepted photos, and those below the threshold, without and with the limit.
        var pairs: Int
        var misses: Int
        var pairsLeft: Int
        var missesLeft: Int
        var spoiled: [Spoiled]
    }

    /// Photos spoiled in one way.
    struct Spoiled: Encodable {
        var way: String
        var described: Int
        /// Accepted by every other aspect of quality.
        var accepted: Int
        /// Accepted, but no longer matching another photo of the person.
        var acceptedMissed: Int
        /// The number of accepted ones that the limit refuses.
        var refused: Int
        /// The number of accepted ones that no longer match and that the limit refuses.
        var refusedMissed: Int
    }

    static let limits: [Double] = [
        3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 11, 12, 13, 14,
    ]

    let engine: EngineOptions
    /// Every so many photos are also spoiled.
    let every: Int

    private struct Seen: Sendable {
        var person: String
        var strength: Double
        /// The lowest grade of all other aspects.
        var quality: Int
        var descriptor: FaceDescriptor
        var spoiled:
            [(way: SpoiledCrop, strength: Double, quality: Int, descriptor: FaceDescriptor)]
    }

    func run(_ collection: PhotoCollection) async throws -> Result {
        let pack = try engine.loadPack(), matcher = try pack.matcher()
        let faces = try engine.loadEngine(pack, workers: 2)
        let progress = ProgressBar("Describing photos", total: collection.photos.count)
        defer { progress.finish() }
        var seen = [Seen?](repeating: nil, count: collection.photos.count), next = 0, done = 0
        try await withThrowingTaskGroup(of: (Int, Seen?).self) { group in
            func add() {
                guard next < collection.photos.count else { return }
                let (index, photo) = (next, collection.photos[next])
                next += 1
                let isSpoiled = index.isMultiple(of: every)
                group.addTask { (index, try await Self.look(at: photo, isSpoiled, faces)) }
            }
            for _ in 0..<4 { add() }
            while let (index, result) = try await group.next() {
                seen[index] = result
                done += 1
                progress.update(done)
                add()
            }
        }
        let all = seen.compactMap { $0 }, sorted = all.map(\.strength).sorted()
        guard !sorted.isEmpty else {
            throw Failure(.badInput, QualityReason.noFace.rawValue, QualityReason.noFace.advice)
        }
        // By the name's bytes, so that the parts are the same everywhere.
        let parts = [0, 1].map { part in
            all.filter { $0.person.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 1 == part }
        }
        return Result(
            photos: all.count,
            percentiles: [0.001, 0.005, 0.01, 0.02, 0.05, 0.5, 0.95].map {
                sorted[min(sorted.count - 1, Int($0 * Double(sorted.count)))]
            },
            parts: try parts.map { try Self.measure($0, matcher) })
    }

    private static func look(
        at photo: PhotoCollection.Photo, _ isSpoiled: Bool, _ faces: FaceEngine
    ) async throws -> Seen? {
        let image = try ImageFile.decode(photo.path)
        return try await faces.run { analyzer, networks in
            guard let face = try analyzer.analyze(image, with: networks).main else { return nil }
            let description = try analyzer.describe(face, in: image, with: networks)
            let folder = URL(filePath: photo.path).deletingLastPathComponent()
            var seen = Seen(
                person: folder.lastPathComponent, strength: description.strength,
                quality: face.quality.score,
                descriptor: description.descriptor, spoiled: [])
            guard isSpoiled else { return seen }
            for way in SpoiledCrop.allCases {
                guard let (view, found) = try way.applied(to: image, face, analyzer, networks)
                else { continue }
                let described = try analyzer.describe(found, in: view, with: networks)
                seen.spoiled.append(
                    (way, described.strength, found.quality.score, described.descriptor))
            }
            return seen
        }
    }

    // MARK: Counting

    private static func measure(_ photos: [Seen], _ matcher: FaceMatcher) throws -> Part {
        let threshold = MatchScore.defaultThreshold, least = FaceQuality.defaultThreshold
        let references = try photos.map { try matcher.reference(for: $0.descriptor) }
        let people = Dictionary(grouping: photos.indices) { photos[$0].person }
        var pairs: [(shorter: Double, isAccepted: Bool, isMiss: Bool)] = []
        for indices in people.values {
            // A person with hundreds of photos would decide the rates alone.
            for (k, i) in indices.prefix(8).enumerated() {
                for j in indices.prefix(8).dropFirst(k + 1) {
                    pairs.append(
                        (
                            min(photos[i].strength, photos[j].strength),
                            min(photos[i].quality, photos[j].quality) >= least,
                            matcher.score(references[i], references[j]) < threshold
                        ))
                }
            }
        }
        let ordered = pairs.sorted { $0.shorter < $1.shorter }
        let shares = [0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]
        let bands = zip(shares, shares.dropFirst()).compactMap { from, to -> Band? in
            let slice = ordered[
                Int(from * Double(ordered.count))..<Int(to * Double(ordered.count))]
            guard let first = slice.first, let last = slice.last else { return nil }
            return Band(
                from: first.shorter, to: last.shorter, pairs: slice.count,
                misses: slice.count { $0.isMiss })
        }
        // A spoiled photo misses if it does not match the person's other photos on average.
        var spoiled: [SpoiledCrop: [(strength: Double, isAccepted: Bool, isMiss: Bool)]] = [:]
        for (i, photo) in photos.enumerated() {
            let others = people[photo.person, default: []].filter { $0 != i }.prefix(4)
            for crop in photo.spoiled {
                let reference = try matcher.reference(for: crop.descriptor)
                let targets = others.isEmpty ? [i] : Array(others)
                let misses = targets.count {
                    matcher.score(reference, references[$0]) < threshold
                }
                spoiled[crop.way, default: []].append(
                    (crop.strength, crop.quality >= least, 2 * misses > targets.count))
            }
        }
        let good = photos.filter { $0.quality >= least }, accepted = pairs.filter(\.isAccepted)
        return Part(
            people: people.count, photos: photos.count, matedPairs: pairs.count, bands: bands,
            limits: limits.map { limit in
                Limit(
                    enough: limit, good: good.count,
                    goodRefused: good.count { $0.strength < limit },
                    pairs: accepted.count, misses: accepted.count(where: \.isMiss),
                    pairsLeft: accepted.count { $0.shorter >= limit },
                    missesLeft: accepted.count { $0.shorter >= limit && $0.isMiss },
                    spoiled: SpoiledCrop.allCases.map { way in
                        let all = spoiled[way, default: []], accepted = all.filter(\.isAccepted)
                        return Spoiled(
                            way: way.rawValue, described: all.count, accepted: accepted.count,
                            acceptedMissed: accepted.count(where: \.isMiss),
                            refused: accepted.count { $0.strength < limit },
                            refusedMissed: accepted.count { $0.strength < limit && $0.isMiss })
                    })
            })
    }
}
