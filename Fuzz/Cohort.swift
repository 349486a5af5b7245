import MienFace

/// Reads any bytes as a cohort. A parsed cohort is written back unchanged, except for rounding of
/// the members' lengths.
func fuzzCohort(_ bytes: [UInt8]) {
    if let cohort = try? Cohort(bytes: bytes) {
        precondition(cohort.bytes.count == bytes.count && cohort.count > 0)
    }
}
