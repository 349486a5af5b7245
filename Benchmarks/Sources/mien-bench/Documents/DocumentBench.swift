import MienCore
import MienDocument
import MienFace
import MienModels
import MienTools

/// Judges and reads drawn photos, whose contents are known.
struct DocumentBench {
    struct Result: Encodable {
        var pictures: [Judged]
        var readings: [Read]
        var corners: Corners
        var copies: [CopyBench.Row]
        var text: [TextBench.Row]
        var tilts: [TiltBench.Row]
        var findingMilliseconds: Double
        var readingMilliseconds: Double
    }

    /// Photos of one subject.
    struct Judged: Encodable {
        var subject: String
        var pictures = 0
        /// With the fault that the photo has, or none for a good one.
        var right = 0
        /// Without any fault.
        var accepted = 0
        /// How often each fault was found; a photo may have several.
        var faults: [String: Int] = [:]
    }

    /// Good photos of one document.
    struct Read: Encodable {
        var document: String
        var pictures = 0
        /// A valid zone with the right characters, or a barcode with the right bytes.
        var right = 0
        var nothing = 0
        var acceptedWrong = 0
        /// Readings of the zone's reader, or the barcode's, without the document's outline.
        var rightWithoutCard = 0
    }

    /// Errors in shares of the document's width.
    struct Corners: Encodable {
        var count = 0
        var median = 0.0
        var ninth = 0.0
    }

    let seeds: Range<Int>
    /// Photos for the tables of reading and of copies.
    var readings: Int
    /// Photos whose printed text is read.
    var texts: Int
    /// Series of each surface that is tilted.
    var tilts: Int
    /// A folder with pictures of documents to copy, instead of drawn ones.
    var folder: String?

    func run() throws -> Result {
        let copies = CopyBench(
            seeds: seeds.prefix(readings),
            pictures: try folder.map(CopyBench.pictures) ?? [])
        let (judged, corners, finding) = judge()
        let (read, reading) = try read()
        return Result(
            pictures: judged, readings: read, corners: corners, copies: copies.run(),
            text: try TextBench(seeds: seeds.prefix(texts)).run(),
            tilts: TiltBench(seeds: seeds.prefix(tilts)).run(),
            findingMilliseconds: finding, readingMilliseconds: reading)
    }

    private static func fault(of subject: SpecimenScene.Subject) -> CaptureFault? {
        switch subject {
        case .good: nil
        case .nothing: .noDocument
        case .several: .severalDocuments
        case .cut: .cutOff
        case .small: .tooSmall
        case .blurred: .blurred
        case .dark: .tooDark
        case .glare: .glare
        }
    }

    private func judge() -> ([Judged], Corners, milliseconds: Double) {
        let subjects = SpecimenScene.Subject.allCases, kinds = Specimen.Kind.allCases
        var rows = subjects.map { Judged(subject: $0.rawValue) }
        var errors: [Double] = [], time = 0.0
        for seed in seeds {
            let index = seed % subjects.count, subject = subjects[index]
            var random = SeededGenerator(seed: UInt64(seed))
            let kind = kinds[Int(random.next() % UInt64(kinds.count))]
            let scene = Self.scene(subject, kind, &random).scene
            let watch = Stopwatch()
            let place = CardPlace(in: scene.image)
            let verdict = CaptureVerdict(place.measurements(in: scene.image))
            time += watch.reading.cpuMilliseconds
            rows[index].pictures += 1
            if let fault = Self.fault(of: subject) {
                if verdict.faults.contains(fault) { rows[index].right += 1 }
            } else if verdict.isGood {
                rows[index].right += 1
            }
            if verdict.isGood { rows[index].accepted += 1 }
            for fault in verdict.faults { rows[index].faults[fault.rawValue, default: 0] += 1 }
            if [.good, .blurred, .dark, .glare].contains(subject), place.count == 1,
                !place.isCutOff, let found = place.corners, let corners = scene.corners
            {
                errors.append(Self.error(found, corners))
            }
        }
        errors.sort()
        let corners =
            errors.isEmpty
            ? Corners()
            : Corners(
                count: errors.count, median: errors[errors.count / 2],
                ninth: errors[errors.count * 9 / 10])
        return (rows, corners, time / Double(seeds.count))
    }

    /// The greatest distance of a corner, whichever corner comes first.
    private static func error(_ found: [Point], _ corners: [Point]) -> Double {
        let errors = (0..<4).map { k in
            (0..<4).map { found[$0].distance(to: corners[($0 + k) % 4]) }.max() ?? 0
        }
        return (errors.min() ?? 0) / corners[0].distance(to: corners[1])
    }

    private func read() throws -> ([Read], milliseconds: Double) {
        let kinds = [
            Specimen.Kind.td1, .td2, .td3, .licenseBack, .visaA, .visaB, .frenchCard,
        ]
        var rows = kinds.map { Read(document: $0.rawValue) }
        var time = 0.0
        let network = try LineNetwork(runtime: InferenceRuntime())
        var reader = try DocumentReader(network), zones = try ZoneReader(network)
        for seed in seeds.prefix(readings) {
            let index = seed % kinds.count
            var random = SeededGenerator(seed: UInt64(seed))
            let (specimen, scene) = Self.scene(.good, kinds[index], &random)
            let watch = Stopwatch()
            let reading = try reader.read(scene.image)
            time += watch.reading.cpuMilliseconds
            rows[index].pictures += 1
            if let truth = specimen.zone {
                rows[index].count(reading.zone.map { ($0.zone.lines == truth, $0.status) })
                let alone = try zones.read(scene.image)
                if alone?.status == .valid, alone?.zone.lines == truth {
                    rows[index].rightWithoutCard += 1
                }
            } else {
                rows[index].count(
                    reading.barcode.map { ($0.bytes == specimen.barcode, .valid) })
                if try BarcodeReading(in: scene.image) != nil { rows[index].rightWithoutCard += 1 }
            }
        }
        return (rows, time / Double(max(min(readings, seeds.count), 1)))
    }

    static func scene(
        _ subject: SpecimenScene.Subject, _ kind: Specimen.Kind, _ random: inout SeededGenerator
    ) -> (specimen: Specimen, scene: SpecimenScene) {
        let person = SpecimenPerson.random(&random)
        let specimen = Specimen(kind, person, &random)
        return (specimen, SpecimenScene(subject, specimen, &random))
    }
}

extension DocumentBench.Read {
    fileprivate mutating func count(_ reading: (isRight: Bool, status: ZoneReading.Status)?) {
        guard let reading, reading.status != .unsure else {
            nothing += 1
            return
        }
        if reading.isRight, reading.status == .valid { right += 1 } else { acceptedWrong += 1 }
    }
}
