import Testing

/// Begins the tests. Without this file, whose name and place it prescribes, the package manager would
/// write one, but only from an index of all code, which takes time and which nothing else needs.
@main struct Runner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
