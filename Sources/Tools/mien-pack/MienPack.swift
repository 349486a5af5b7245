import ArgumentParser

/// The setup program: creates model packs from published files.
@main
struct MienPack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mien-pack",
        abstract:
            "Assemble and check model packs. scripts/setup calls this program; people rarely need it.",
        subcommands: [Assemble.self, Build.self, AddPresentation.self, Verify.self])
}
