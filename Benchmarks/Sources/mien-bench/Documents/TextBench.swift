import MienCore
import MienDocument
import MienModels
import MienTools

/// Reads the printed text of drawn photos, and compares each field with what was printed, by the
/// rules that the checks of documents have.
struct TextBench {
    /// A field of one kind of document.
    struct Row: Encodable {
        var document: String
        var field: String
        var agrees = 0
        var missing = 0
        /// The text differs so little that it may be misread.
        var unclear = 0
        var differs = 0
    }

    private static let kinds = [Specimen.Kind.td2, .td3, .license]
    private static let fields: [DocumentCheck.Name] = [
        .sameNumber, .sameFamilyName, .sameGivenNames, .sameBirth, .sameExpiry, .sameIssue,
        .sameSex,
    ]

    /// Comparing depends on no time.
    private static let now = Instant(milliseconds: 1_795_000_000_000)

    let seeds: Range<Int>

    func run() throws -> [Row] {
        var rows = Self.kinds.flatMap { kind in
            Self.fields.map { Row(document: kind.rawValue, field: $0.rawValue) }
        }
        var reader = try DocumentReader(LineNetwork(runtime: InferenceRuntime()))
        for seed in seeds {
            let index = seed % Self.kinds.count
            var random = SeededGenerator(seed: UInt64(seed))
            let (specimen, scene) = DocumentBench.scene(.good, Self.kinds[index], &random)
            let read = try reader.read(scene.image).visualZone(
                country: specimen.kind.isLicense ? "US" : "XX")
            let checks = IdentityDocument(
                visualZone: read, input: Self.printed(specimen.person)
            ).checks(now: Self.now)
            for (place, field) in Self.fields.enumerated() {
                let row = index * Self.fields.count + place
                switch checks.first(where: { $0.name == field })?.verdict {
                case .passed: rows[row].agrees += 1
                case .failed: rows[row].differs += 1
                case .notChecked(.unclear): rows[row].unclear += 1
                case .notChecked, nil: rows[row].missing += 1
                }
            }
        }
        return rows
    }

    private static func printed(_ person: SpecimenPerson) -> DocumentFields {
        var fields = DocumentFields(.input)
        fields.number = person.number
        fields.familyName = person.familyName.isEmpty ? nil : person.familyName
        (fields.givenNames, fields.sex) = (person.givenNames, person.sex)
        (fields.birth, fields.expiry) = (person.statedBirth, person.expiry)
        fields.issue = person.issue
        return fields
    }
}
