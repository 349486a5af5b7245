import MienCore
import MienFace
import MienTools

/// Drawn photos of specimens, the same for the same seed.
///
/// Seeds from 2000 on are for measurements only: nothing was developed with them.
enum DrawnSpecimens {
    static func scene(
        _ subject: SpecimenScene.Subject, seed: Int, kind: Specimen.Kind? = nil,
        issuer: String? = nil
    ) -> (specimen: Specimen, scene: SpecimenScene) {
        var random = SeededGenerator(seed: UInt64(seed))
        let kinds = Specimen.Kind.allCases
        let any = kinds[Int(random.next() % UInt64(kinds.count))]
        let person = SpecimenPerson.random(&random)
        let specimen = Specimen(
            kind ?? any, person, by: issuer.map { SpecimenIssuer(state: $0) }, &random)
        return (specimen, SpecimenScene(subject, specimen, &random))
    }
}
