/// The schema, as a list of steps. A released step never changes; later changes are new steps at the
/// end.
enum Migrations {
    static let all = [FirstSchema.migration]
}
