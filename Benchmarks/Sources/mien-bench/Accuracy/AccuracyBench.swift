import Foundation
import MienFace
import MienMedia
import MienModels
import MienTools

/// Detection and accuracy on photos of many people. The face in the middle is the person's.
struct AccuracyBench {
    struct Result: Encodable {
        let photos: Int
        /// The share of photos with a face whose box contains the picture's middle, 0...1.
        let centerFaceFound: Double
        let accuracy: Double?
        /// The share of true accepts at a false-match rate of 1 in 10,000, with every pair scored
        /// with a cohort of other people, and with plain cosine.
        let trueAcceptRate: Double
        let trueAcceptRateRaw: Double
        let impostorPairs: Int
    }

    let engine: EngineOptions

    func run(_ collection: PhotoCollection, pairs list: PairList?) async throws -> Result {
        let centered = try await centerFaces(collection)
        let normalization = try engine.loadPack().matcher().calibration.normalization
        let found = try await Evaluation(
            collection, list, matcher: nil, normalization: normalization, engine)
        return Result(
            photos: collection.photos.count,
            centerFaceFound: Double(centered) / Double(collection.photos.count),
            accuracy: found.report.evaluation.accuracy?.mean,
            trueAcceptRate: found.report.evaluation.rates.point(falseMatchRate: 1e-4)
                .trueAcceptRate,
            trueAcceptRateRaw: found.raw.point(falseMatchRate: 1e-4).trueAcceptRate,
            impostorPairs: found.report.evaluation.rates.impostorPairs)
    }

    private func centerFaces(_ collection: PhotoCollection) async throws -> Int {
        let faces = try engine.loadEngine(try engine.loadPack())
        let progress = ProgressBar("Detecting", total: collection.photos.count)
        defer { progress.finish() }
        var found = 0
        for (done, photo) in collection.photos.enumerated() {
            guard let image = try? ImageFile.decode(photo.path) else { continue }
            let boxes = try await faces.run { analyzer, networks in
                try analyzer.faces(in: image, with: networks).map(\.box)
            }
            let middle = image.bounds.center
            if boxes.contains(where: {
                abs($0.center.x - middle.x) < $0.width / 2
                    && abs($0.center.y - middle.y) < $0.height / 2
            }) {
                found += 1
            }
            progress.update(done + 1)
        }
        return found
    }
}
