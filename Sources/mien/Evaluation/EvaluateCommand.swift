import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienImage
import MienModels

/// `mien face evaluate --pairs pairs.txt DIR`
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measure accuracy on photos of many people.",
        discussion: """
            DIR holds one folder of photos per person; pairs.txt lists pairs in LFW's form (“name i j” and “name i name j”, photo i of a person \
            being name_%04d). Prints accuracy over the folds of the list, and over all pairs of photos the share of true accepts at fixed \
            false-match rates, what each threshold does, and what refusing photos of low quality brings. Interrupted, it goes on where it \
            stopped: descriptors of photos seen before are kept, sealed, in the cache.

            The default pack's cohort was made from lfw-dev. On those photos use --cross-fit: every pair is then scored with a cohort that \
            never saw either person.

            EXAMPLE
              mien face evaluate --pairs lfw/pairs.txt lfw/images --cross-fit --output report
            """)

    @Argument(help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "dir")) var folder: String
    @Option(help: ArgumentHelp("A list of pairs in folds, in LFW's form.", valueName: "pairs.txt")) var pairs: String?
    @Option(help: ArgumentHelp("Write det.png, det.csv and report.txt into this folder.", valueName: "folder")) var output: String?
    @Flag(help: "Score every pair with a cohort fitted on other people of DIR, not the pack's.") var crossFit = false
    @OptionGroup var engine: EngineOptions
    @OptionGroup var format: OutputOptions

    func run() async throws {
        // What can be wrong with the arguments is found before the long work.
        let list = try pairs.map { try readPairs($0) }
        let collection = try PhotoCollection(folder)
        let matcher = crossFit ? nil : try engine.loadPack().matcher()
        let outcome = try await DescriptorReader(engine).read(collection)
        let set = try outcome.labelled(collection)
        let evaluation = try evaluate(set, outcome, matcher)
        let accuracy = try list.map { try self.accuracy($0, evaluation.scorer, outcome, collection) }
        let report = EvaluationReport(
            evaluation: VerificationEvaluation(rates: evaluation.rates, accuracy: accuracy, calibration: evaluation.calibration),
            rejection: QualityRejection(
                evaluation.scorer, quality: outcome.readings.map(\.quality), threshold: .defaultThreshold,
                normalisedThreshold: evaluation.calibration.leastScore(for: .defaultThreshold)),
            photos: collection.photos.count, people: collection.personCount, faceless: outcome.faceless.map { collection.photos[$0].name },
            unreadable: outcome.unreadable.map(\.reason), isCrossFitted: crossFit)
        if let output { try write(report, raw: evaluation.raw, to: URL(filePath: output, directoryHint: .isDirectory)) }
        if format.json { JSON.print(report.json) } else { print(report.text) }
    }

    /// Scores of all pairs, and what they mean.
    private struct Scored {
        let scorer: PairScorer
        let rates: ErrorRates
        let raw: ErrorRates
        let calibration: CalibrationTable
    }

    private func evaluate(_ set: LabelledDescriptors, _ outcome: DescriptorReader.Outcome, _ matcher: FaceMatcher?) throws -> Scored {
        if let matcher {
            let scorer = PairScorer(set, PairNormalisation(set, cohort: matcher.cohort))
            let raw = ErrorRates(PairScorer(set, .none(photoCount: set.photoCount)).histogram())
            return Scored(scorer: scorer, rates: ErrorRates(scorer.histogram()), raw: raw, calibration: matcher.calibration)
        }
        let bar = CalibrationBar()
        defer { bar.finish() }
        var plan = CalibrationPlan()
        plan.bootstrapRounds = 0
        do {
            let calibration = try Calibrator(plan).calibrate(
                set, dataset: folder, descriptor: engine.pack.text, madeOn: "", progress: bar.update)
            return Scored(
                scorer: PairScorer(set, calibration.normalisation), rates: calibration.normalised, raw: calibration.raw,
                calibration: calibration.table)
        } catch let error as CalibrationError {
            throw Failure(.badInput, "evaluate.too-few", "\(folder): \(error); leave out --cross-fit, or add people")
        }
    }

    private func readPairs(_ path: String) throws -> PairList {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.badInput, "file.not-found", "\(path): there is no such file, or it cannot be read")
        }
        do { return try PairList(String(decoding: data, as: UTF8.self)) } catch {
            throw Failure(.badInput, "pairs.malformed", "\(path): \(error)")
        }
    }

    private func accuracy(
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

    private func write(_ report: EvaluationReport, raw: ErrorRates, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let plot = DETPlot(
            title: "Detection error trade-off, \(report.photos.grouped) photos of \(report.people.grouped) people",
            curves: [
                .init(name: "normalised", rates: report.evaluation.rates, colour: DETPlot.colours[0]),
                .init(name: "plain cosine", rates: raw, colour: DETPlot.colours[1]),
            ])
        try Data(PNGEncoder.encode(plot.draw())).write(to: folder.appending(path: "det.png"), options: .atomic)
        try Data(report.evaluation.tradeoffCSV.utf8).write(to: folder.appending(path: "det.csv"), options: .atomic)
        try Data((report.text + "\n").utf8).write(to: folder.appending(path: "report.txt"), options: .atomic)
        Terminal.warn("Written: \(folder.path)/det.png, det.csv, report.txt")
    }
}
