import MienCore
import MienDocument
import MienModels
import MienTools

/// Measures the check for moving reflections on drawn series of documents and of copies of them.
struct TiltBench {
    /// Series of one surface.
    struct Row: Encodable {
        var subject: String
        var series = 0
        var passed = 0
        /// How often each fault was found; a series may have several.
        var faults: [String: Int] = [:]
        /// For each measurement, its least, its quartiles, and its greatest value.
        var measurements: [String: [Double]] = [:]
    }

    let seeds: Range<Int>

    func run() -> [Row] {
        TiltedSpecimen.Surface.allCases.map { row($0, named: $0.rawValue, front: true) }
            // Somebody tilts a card of their own after photographing another one.
            + [row(.laminate, named: "another_document", front: false)]
    }

    private func row(_ surface: TiltedSpecimen.Surface, named name: String, front isOwn: Bool)
        -> Row
    {
        var row = Row(subject: name)
        var tilts: [Double] = [], likenesses: [Double] = [], reflections: [Double] = []
        for seed in seeds {
            var random = SeededGenerator(seed: UInt64(seed) &+ 8_000_000)
            let kinds = Specimen.Kind.allCases.filter(\.hasPortrait)
            let kind = kinds[Int(random.next() % UInt64(kinds.count))]
            let specimen = Specimen(kind, SpecimenPerson.random(&random), &random)
            let tilted = TiltedSpecimen(
                surface, of: specimen.image, millimeters: specimen.width, &random)
            var front = tilted.front
            if !isOwn {
                let other = Specimen(kind, SpecimenPerson.random(&random), &random)
                front = SpecimenScene(of: other.image, &random).image
            }
            let measured = TiltMeasurements(
                of: tilted.frames, front: (front, CardPlace(in: front)))
            let check = ReflectionCheck(measured)
            row.series += 1
            if check.result == .passed { row.passed += 1 }
            for fault in check.faults { row.faults[fault.rawValue, default: 0] += 1 }
            tilts.append(measured.tilt)
            reflections.append(measured.reflections)
            if let likeness = measured.likeness { likenesses.append(likeness) }
        }
        row.measurements = [
            "tilt": CopyBench.spread(tilts), "likeness": CopyBench.spread(likenesses),
            "reflections": CopyBench.spread(reflections),
        ]
        return row
    }
}
