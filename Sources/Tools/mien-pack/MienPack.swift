import ArgumentParser

/// The setup program: creates the default model pack from the files of two published packages.
@main
struct MienPack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mien-pack",
        abstract:
            "Assemble and check model packs. scripts/setup calls this program; people rarely need it.",
        subcommands: [Assemble.self, Verify.self])
}
