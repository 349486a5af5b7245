import ArgumentParser

/// The set-up program: makes the default model pack from the files of two published packages.
@main
struct MienPack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mien-pack",
        abstract:
            "Assembles and checks model packs. scripts/setup calls it; people rarely need to.",
        subcommands: [Assemble.self, Verify.self])
}
