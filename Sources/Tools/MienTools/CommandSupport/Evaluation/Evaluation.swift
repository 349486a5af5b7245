internal import MienCore
public import MienFace
internal import MienMedia
internal import MienModels

/// Scores and counts every pair of photos of a collection.
public struct Evaluation {
    let collection: PhotoCollection
    public let report: EvaluationReport
    /// The same pairs with plain cosine.
    public let raw: ErrorRates

    /// - Parameters:
    ///   - list: the pairs for accuracy over folds.
    ///   - matcher: the pack's matcher; `nil` scores every pair with a cohort fitted to other
    ///     people of the collection.
    ///   - normalization: how to make scores without a matcher; `nil` chooses the best.
    ///   - groups: the groups of people to compare.
    ///   - usesCache: whether descriptors are read from the cache and added to it.
    public init(
        _ collection: PhotoCollection, _ list: PairList?, groups: GroupList? = nil,
        matcher: FaceMatcher?,
        normalization: ScoreNormalization? = .asNorm, _ engine: EngineOptions,
        usesCache: Bool = true
    ) async throws {
        self.collection = collection
        let outcome = try await DescriptorReader(engine, usesCache: usesCache).read(collection)
        let set = try outcome.labeled(collection)
        let names = outcome.names(of: set, collection)
        try groups?.checkPeople(names, folder: collection.folder)
        let scored =
            if let matcher { Scored(set, matcher) } else {
                try Scored(
                    crossFitting: set, groups.map { CalibrationGroups($0, names: names) },
                    normalization, collection, engine)
            }
        let accuracy = try list.map { try Self.accuracy($0, scored.scorer, outcome, collection) }
        raw = scored.raw
        report = EvaluationReport(
            evaluation: VerificationEvaluation(
                rates: scored.rates, intervals: scored.intervals(), accuracy: accuracy,
                calibration: scored.calibration),
            rejection: QualityRejection(
                scored.scorer, quality: outcome.readings.map(\.quality),
                threshold: .defaultThreshold,
                normalizedThreshold: scored.calibration.minScore(for: .defaultThreshold)),
            photos: collection.photos.count, people: collection.personCount,
            faceless: outcome.faceless.map { collection.photos[$0].name },
            unreadable: outcome.unreadable.map(\.reason), isCrossFitted: matcher == nil,
            normalization: scored.calibration.normalization, compared: scored.compared,
            templates: try scored.matcher.map { matcher in
                try [1, 2, 4].compactMap { try TemplateRates(set, matcher, photos: $0) }
            } ?? scored.templates,
            groups: groups.map { Self.rates(of: $0, scored, names) } ?? [])
    }

    private static func rates(of list: GroupList, _ scored: Scored, _ names: [String])
        -> [GroupRates]
    {
        var generator = SeededGenerator(seed: Scored.seed)
        let thresholds = [MatchScore.defaultThreshold, MatchScore(60)].map {
            (match: $0, score: scored.calibration.minScore(for: $0))
        }
        return list.columns.flatMap {
            GroupRates.all(
                $0, names: names, scored.scorer, thresholds: thresholds, using: &generator)
        }
    }

    private static func accuracy(
        _ list: PairList, _ scorer: PairScorer, _ outcome: DescriptorReader.Outcome,
        _ collection: PhotoCollection
    ) throws -> FoldAccuracy {
        var indices: [PairList.Photo: Int] = [:]
        for (index, reading) in outcome.readings.enumerated() {
            let photo = collection.photos[reading.photo]
            guard let number = photo.number else { continue }
            indices[PairList.Photo(person: photo.person, number: number)] = index
        }
        do { return try scorer.accuracy(over: list) { indices[$0] } } catch {
            let first = error.photos[0]
            throw Failure(
                .badInput, "pairs.missing-photos",
                "\(Set(error.photos).count) photos of the pair list are missing from \(collection.folder) or have no face; "
                    + "the first is photo \(first.number) of \(first.person)")
        }
    }
}

/// Scores of all pairs, and the statistics over them.
private struct Scored {
    let scorer: PairScorer
    let rates: ErrorRates
    let raw: ErrorRates
    let calibration: CalibrationTable
    /// A matcher that knows none of the people; `nil` if there is none.
    let matcher: FaceMatcher?
    let compared: NormalizationComparison?
    /// With cohorts of other people.
    let templates: [TemplateRates]

    /// The seed, so that an evaluation can be repeated, and the rounds.
    static let seed: UInt64 = 1
    private static let rounds = 100

    func intervals() -> [AcceptanceBootstrap.Interval] {
        var generator = SeededGenerator(seed: Self.seed)
        return AcceptanceBootstrap(scorer, rates).intervals(
            falseMatchRates: VerificationEvaluation.falseMatchRates, rounds: Self.rounds,
            using: &generator)
    }

    init(_ set: LabeledDescriptors, _ matcher: FaceMatcher) {
        let bar = ProgressBar("Comparing all pairs", total: 3)
        defer { bar.finish() }
        scorer = PairScorer(set, PairNormalization(set, matcher))
        bar.update(1)
        rates = ErrorRates(scorer.histogram())
        bar.update(2)
        raw = ErrorRates(PairScorer(set, .none(photoCount: set.photoCount)).histogram())
        calibration = matcher.calibration
        self.matcher = matcher
        (compared, templates) = (nil, [])
    }

    init(
        crossFitting set: LabeledDescriptors, _ groups: CalibrationGroups?,
        _ normalization: ScoreNormalization?, _ collection: PhotoCollection, _ engine: EngineOptions
    ) throws {
        let bar = CalibrationBar()
        defer { bar.finish() }
        var plan = CalibrationPlan()
        plan.bootstrapRounds = 0
        plan.normalization = normalization
        do {
            let made = try Calibrator(plan).calibrate(
                set, dataset: collection.folder, descriptor: engine.pack.text, madeOn: "",
                groups: groups, progress: bar.update)
            scorer = PairScorer(set, made.normalization)
            (rates, raw, calibration) = (made.normalized, made.raw, made.table)
            // The cohort of `made` was fitted to these people.
            matcher = made.draw == nil ? made.matcher : nil
            compared = normalization == nil ? made.comparison : nil
            templates = made.templates.rates(made.table)
        } catch let error as CalibrationError {
            throw Failure(
                .badInput, "evaluate.too-few",
                "\(collection.folder): \(error). Leave out --cross-fit, or add people")
        }
    }
}

extension GroupList {
    /// More than a list of 100,000 people has.
    private static let maximumBytes = 20_000_000

    /// - Throws: ``Failure`` that names the file and the line.
    public init(file path: String) throws {
        self = try readList(
            path, maximumBytes: Self.maximumBytes, code: "groups.malformed",
            name: "a list of groups", format: "a list of groups"
        ) { try Self($0) }
    }

    /// Warns about people without a photo.
    ///
    /// - Parameters:
    ///   - names: The people with a photo that shows a face.
    ///   - folder: The folder of the photos, for messages.
    /// - Throws: ``Failure`` if nobody has a photo.
    package func checkPeople(_ names: [String], folder: String) throws {
        let known = Set(names), missing = people.filter { !known.contains($0) }
        if missing.count == people.count {
            throw Failure(
                .badInput, "groups.nobody",
                "None of the \(people.count) people of the groups has a photo with a face in \(folder). Name people like their folders of photos"
            )
        }
        if !missing.isEmpty {
            Terminal.warn(
                "mien: \(missing.count) people of the groups have no photo with a face in \(folder)"
            )
        }
    }
}

extension PairList {
    /// More than a list of a million pairs has.
    private static let maximumBytes = 100_000_000

    /// - Throws: ``Failure`` that names the file and the line.
    public init(file path: String) throws {
        self = try readList(
            path, maximumBytes: Self.maximumBytes, code: "pairs.malformed",
            name: "a list of pairs", format: "a list of pairs in LFW's format"
        ) { try Self($0) }
    }
}

/// Reads a list from a text file.
///
/// - Parameters:
///   - code: The code of the failure when the file is too large or malformed.
///   - name: A name of the list for the first case, `format` for the second.
/// - Throws: ``Failure`` that names the file.
private func readList<List>(
    _ path: String, maximumBytes: Int, code: String, name: String, format: String,
    _ parse: (String) throws -> List
) throws -> List {
    let bytes: [UInt8]
    do { bytes = try ImageFile.read(path, limits: ImageLimits(maxBytes: maximumBytes)) } catch {
        guard case .image = error.reason else { throw error }
        throw Failure(
            .badInput, code,
            "\(path) is too large for \(name): it has more than \(maximumBytes.grouped) bytes")
    }
    do { return try parse(String(decoding: bytes, as: UTF8.self)) } catch {
        throw Failure(.badInput, code, "\(path) is not \(format): \(error)")
    }
}
