import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienModels
import MienTools
import MienVault

/// `mien face calibrate DIR`
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure what scores mean on your own photos and write a calibration.",
        discussion: """
            DIR contains one folder of photos per person. The command measures every pair of photos, by \
            plain cosine and against cohorts of synthetic faces that never saw either person, keeps the \
            way that accepts the most people, and writes calibration.json and, if that way needs it, \
            cohort.bin. Neither contains a real person's face. A false-match rate of 1 in 10,000 requires about 300 people, 1 in \
            1,000,000 about 2,500.

            With --groups, scores keep what they promise in every group, and the report has the errors of each.

            EXAMPLE
              mien face calibrate ./photos --output ./calibration --install my-pack-1
              mien face verify ada today.jpg --pack my-pack-1
            """)

    @Argument(
        help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "dir"))
    var folder: String
    @Option(
        help: ArgumentHelp("Where to write calibration.json and cohort.bin.", valueName: "folder"))
    var output = "calibration"
    @Option(
        name: .customLong("install"),
        help: ArgumentHelp(
            "Also install a copy of the pack under this name, with the new calibration.",
            valueName: "id"), transform: EngineOptions.pack)
    var newID: PackID?
    @Option(help: ArgumentHelp("The name of these photos in the calibration.", valueName: "name"))
    var dataset: String?
    @Option(help: "The random seed, to repeat a calibration exactly.") var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Synthetic faces in the cohort, 500 to 20,000.", valueName: "count"))
    var cohort = CalibrationPlan().cohortCount
    @Option(
        help: ArgumentHelp(
            "Groups of people as comma-separated values, such as “person,gender”. Scores then promise what the worst group keeps.",
            valueName: "groups.csv"))
    var groups: String?
    @Option(
        help: ArgumentHelp(
            "Parts that people are divided into for cross-fitting, 3 to 20. More parts take longer and fit on more people.",
            valueName: "count"))
    var folds = CalibrationPlan().groups
    @Option(
        help: ArgumentHelp(
            "How scores are made; best measures all and keeps the simplest good one.",
            valueName: "best|none|as-norm|as-norm-shrunk"))
    var normalization = NormalizationOption.best
    @OptionGroup var cache: CacheOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard (500...20_000).contains(cohort) else {
            throw ValidationError("--cohort must be 500 to 20,000, not \(cohort)")
        }
        guard (3...20).contains(folds) else {
            throw ValidationError("--folds must be 3 to 20, not \(folds)")
        }
        guard newID != engine.pack else {
            throw ValidationError("--install needs a new name, not the name of the pack in use")
        }
    }

    func run() async throws {
        // Checks the arguments before the long work.
        try OutputFile.check(folder: output)
        if let newID { try requireFree(newID) }
        let list = try groups.map { try GroupList(file: $0) }
        let collection = try PhotoCollection(folder)
        let reader = try DescriptorReader(engine, usesCache: !cache.noCache)
        let outcome = try await reader.read(collection)
        for (photo, reason) in outcome.unreadable {
            Terminal.warn("mien: skipped: \(reason) (\(collection.photos[photo].person))")
        }
        let set = try outcome.labeled(collection)
        var plan = CalibrationPlan()
        (plan.seed, plan.cohortCount, plan.nearestCount, plan.groups) = (
            seed, cohort, cohort / 20, folds
        )
        let names = outcome.names(of: set, collection)
        try list?.checkPeople(names, folder: folder)
        plan.normalization = normalization.normalization
        let progress = CalibrationBar()
        let calibration: Calibration
        do {
            calibration = try Calibrator(plan).calibrate(
                set,
                dataset: dataset ?? URL(filePath: folder).standardizedFileURL.lastPathComponent,
                descriptor: engine.pack.text,
                madeOn: Self.today(),
                groups: list.map { CalibrationGroups($0, names: names) }, progress: progress.update)
        } catch let error as CalibrationError {
            throw Failure(
                .badInput, "calibrate.too-few",
                "\(folder): \(error). Add people, with two or more photos of some of them")
        }
        progress.finish()
        let files = CalibrationFiles(calibration)
        try files.write(to: URL(filePath: output, directoryHint: .isDirectory))
        if let newID {
            try files.install(
                as: newID, from: try engine.loadPack(), in: PackLibrary(folder: engine.home.packs))
        }
        report(calibration, outcome)
    }

    private func requireFree(_ id: PackID) throws {
        let folder = engine.home.packs.appending(path: id.text)
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        throw PackError(
            .conflict,
            "\(folder.path) already exists: give --install another name, or remove that pack first"
        )
    }

    private func report(_ calibration: Calibration, _ outcome: DescriptorReader.Outcome) {
        let measurement = calibration.table.measurement
        guard !format.json else {
            JSON.print(
                Output(
                    measurement: measurement,
                    normalization: calibration.table.normalization.rawValue,
                    faceless: outcome.faceless.count, folder: output, installed: newID?.text))
            return
        }
        print(
            "\(measurement.photos.grouped) photos of \(measurement.people.grouped) people: \(measurement.impostorPairs.grouped) impostor pairs, \(measurement.matedPairs.grouped) mated pairs."
        )
        if !outcome.faceless.isEmpty {
            print("\(outcome.faceless.count) photos without a face were skipped.")
        }
        if normalization == .best { print(EvaluationReport.text(calibration.comparison)) }
        print("Normalization: \(calibration.table.normalization.rawValue).")
        if let privacy = calibration.draw?.privacy {
            print(
                "Cohort: \(privacy.members.grouped) synthetic faces. The closest has cosine \(String.decimal(privacy.nearest, 3)) to a real face; the limit is \(String.decimal(privacy.bound, 3))."
            )
        }
        print("")
        let rows = measurement.acceptance.map {
            [
                "1 in \(Int(pow(10, -$0.logRate).rounded()).grouped)",
                "\(String.decimal(100 * $0.trueAcceptRate, 2)) %",
                "\(String.decimal(100 * ($0.trueAcceptRatePerPerson ?? 0), 2)) %",
                "\(String.decimal(100 * $0.trueAcceptRateRaw, 2)) %", $0.support.grouped,
            ]
        }
        print(
            Terminal.table(
                rows,
                heading: [
                    "false matches", "true accepts", "per person", "without normalization",
                    "impostor pairs measured",
                ], rightAligned: [0, 1, 2, 3, 4]))
        for rates in calibration.groups {
            print("\n" + EvaluationReport.text(rates), terminator: "")
        }
        print(
            "\nWritten to \(output)"
                + (newID.map { "; installed as \($0.text): use it with --pack \($0.text)." } ?? ".")
        )
    }

    private static func today() -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return formatter.string(from: Date())
    }

    private struct Output: Encodable {
        let measurement: CalibrationMeasurement
        let normalization: String
        let faceless: Int
        let folder: String
        let installed: String?
    }
}
