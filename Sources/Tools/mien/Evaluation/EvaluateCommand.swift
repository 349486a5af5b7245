import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// `mien face evaluate --pairs pairs.txt DIR`
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measure accuracy on photos of many people.",
        discussion: """
            DIR contains one folder of photos per person. pairs.txt lists pairs in LFW's format (“name i \
            j” and “name i name j”, where photo i of a person is name_%04d). Prints the accuracy over \
            the folds of the list and, over all pairs of photos, the share of true accepts at fixed \
            false-match rates, the error rates of thresholds, and the effect of refusing photos of low \
            quality. If interrupted, the next run continues from there: descriptors are kept, sealed, in \
            the cache, unless --no-cache is given.

            Rates are given per pair and per person: the latter count each person once, however many \
            photos they have. Intervals are by bootstrap over people.

            --groups compares groups of people: groups.csv has a header such as “person,age” and a line \
            for each person, who is named like their folder. For each group, it reports the error rates at \
            match scores 48 and 60 and how many times the worst exceeds the best.

            A cohort knows the people it was made from. For their photos, use --cross-fit: it scores \
            every pair with a cohort that never saw either person. The cohort of mien-basic-1 was \
            made from lfw-dev.

            EXAMPLE
              mien face evaluate --pairs lfw/pairs.txt lfw/images --cross-fit --output report
            """)

    @Argument(
        help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "dir"))
    var folder: String
    @Option(
        help: ArgumentHelp("A list of pairs in folds, in LFW's format.", valueName: "pairs.txt"))
    var pairs: String?
    @Option(
        help: ArgumentHelp(
            "Groups of people as comma-separated values, such as “person,age”.",
            valueName: "groups.csv"))
    var groups: String?
    @Option(
        help: ArgumentHelp(
            "Write det.png, det.csv and report.txt into this folder.", valueName: "folder"))
    var output: String?
    @Flag(
        help: "Score every pair with a cohort fitted to other people of DIR instead of the pack's.")
    var crossFit = false
    @Option(
        help: ArgumentHelp(
            "With --cross-fit: how scores are made (default: as the pack does); best compares all.",
            valueName: "best|none|as-norm|as-norm-shrunk"))
    var normalization: NormalizationOption?
    @OptionGroup var cache: CacheOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard normalization == nil || crossFit else {
            throw ValidationError("--normalization needs --cross-fit; otherwise, the pack decides")
        }
    }

    func run() async throws {
        // Checks the arguments before the long work.
        if let output { try OutputFile.check(folder: output) }
        let list = try pairs.map { try PairList(file: $0) }
        let groups = try groups.map { try GroupList(file: $0) }
        let collection = try PhotoCollection(folder)
        let pack = try engine.loadPack()
        let matcher = crossFit ? nil : try pack.matcher()
        let ofPack = (try? pack.matcher().calibration.normalization) ?? .asNorm
        let found = try await Evaluation(
            collection, list, groups: groups, matcher: matcher,
            normalization: normalization.map(\.normalization) ?? ofPack, engine,
            usesCache: !cache.noCache)
        let report = found.report
        if let output {
            try write(
                report, raw: found.raw, to: URL(filePath: output, directoryHint: .isDirectory))
        }
        if format.json { JSON.print(report.json) } else { Terminal.say(report.text) }
    }

    private func write(_ report: EvaluationReport, raw: ErrorRates, to folder: URL) throws {
        try OutputFile.makeFolder(folder)
        let plot = DETPlot(
            title:
                "Detection error trade-off, \(report.photos.grouped) photos of \(report.people.grouped) people",
            curves: [
                .init(
                    name: "normalized", rates: report.evaluation.rates, color: DETPlot.colors[0]),
                .init(name: "plain cosine", rates: raw, color: DETPlot.colors[1]),
            ])
        try OutputFile.write(
            Data(PNGEncoder.encode(plot.draw())), to: folder.appending(path: "det.png"))
        try OutputFile.write(
            Data(report.evaluation.tradeoffCSV.utf8), to: folder.appending(path: "det.csv"))
        try OutputFile.write(
            Data((report.text + "\n").utf8), to: folder.appending(path: "report.txt"))
        Terminal.warn("Written: \(folder.path)/det.png, det.csv, report.txt")
    }
}
