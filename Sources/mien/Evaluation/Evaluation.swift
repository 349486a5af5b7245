import Foundation
import MienCore
import MienFace
import MienModels

/// Every pair of photos of a collection, scored and counted.
struct Evaluation {
    let collection: PhotoCollection
    let report: EvaluationReport
    /// The same pairs by plain cosine.
    let raw: ErrorRates

    /// - Parameters:
    ///   - list: for accuracy over folds.
    ///   - matcher: of the pack; `nil` scores every pair with a cohort fitted on other people of the collection.
    init(_ collection: PhotoCollection, _ list: PairList?, matcher: FaceMatcher?, _ engine: EngineOptions) async throws {
        self.collection = collection
        let outcome = try await DescriptorReader(engine).read(collection)
        let set = try outcome.labelled(collection)
        let scored = if let matcher { Scored(set, matcher) } else { try Scored(crossFitting: set, collection, engine) }
        let accuracy = try list.map { try Self.accuracy($0, scored.scorer, outcome, collection) }
        raw = scored.raw
        report = EvaluationReport(
            evaluation: VerificationEvaluation(rates: scored.rates, accuracy: accuracy, calibration: scored.calibration),
            rejection: QualityRejection(
                scored.scorer, quality: outcome.readings.map(\.quality), threshold: .defaultThreshold,
                normalisedThreshold: scored.calibration.leastScore(for: .defaultThreshold)),
            photos: collection.photos.count, people: collection.personCount, faceless: outcome.faceless.map { collection.photos[$0].name },
            unreadable: outcome.unreadable.map(\.reason), isCrossFitted: matcher == nil)
    }

    private static func accuracy(
        _ list: PairList, _ scorer: PairScorer, _ outcome: DescriptorReader.Outcome, _ collection: PhotoCollection
    ) throws -> FoldAccuracy {
        var places: [PairList.Photo: Int] = [:]
        for (place, reading) in outcome.readings.enumerated() {
            let photo = collection.photos[reading.photo]
            guard let number = photo.name.split(separator: ".").first?.split(separator: "_").last.flatMap({ Int($0) }) else { continue }
            places[PairList.Photo(person: photo.person, number: number)] = place
        }
        do { return try scorer.accuracy(over: list) { places[$0] } } catch {
            let first = error.photos[0]
            throw Failure(
                .badInput, "pairs.missing-photos",
                "\(Set(error.photos).count) photos that the pair list names are not in \(collection.folder) or show no face; "
                    + "the first is number \(first.number) of \(first.person)")
        }
    }
}

/// Scores of all pairs, and what they mean.
private struct Scored {
    let scorer: PairScorer
    let rates: ErrorRates
    let raw: ErrorRates
    let calibration: CalibrationTable

    init(_ set: LabelledDescriptors, _ matcher: FaceMatcher) {
        scorer = PairScorer(set, PairNormalisation(set, cohort: matcher.cohort))
        rates = ErrorRates(scorer.histogram())
        raw = ErrorRates(PairScorer(set, .none(photoCount: set.photoCount)).histogram())
        calibration = matcher.calibration
    }

    init(crossFitting set: LabelledDescriptors, _ collection: PhotoCollection, _ engine: EngineOptions) throws {
        let bar = CalibrationBar()
        defer { bar.finish() }
        var plan = CalibrationPlan()
        plan.bootstrapRounds = 0
        do {
            let made = try Calibrator(plan).calibrate(
                set, dataset: collection.folder, descriptor: engine.pack.text, madeOn: "", progress: bar.update)
            scorer = PairScorer(set, made.normalisation)
            (rates, raw, calibration) = (made.normalised, made.raw, made.table)
        } catch let error as CalibrationError {
            throw Failure(.badInput, "evaluate.too-few", "\(collection.folder): \(error); leave out --cross-fit, or add people")
        }
    }
}

extension PairList {
    /// - Throws: ``Failure`` that names the file and the line.
    init(file path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.badInput, "file.not-found", "\(path): there is no such file, or it cannot be read")
        }
        do { try self.init(String(decoding: data, as: UTF8.self)) } catch {
            throw Failure(.badInput, "pairs.malformed", "\(path): \(error)")
        }
    }
}
