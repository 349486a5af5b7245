import ArgumentParser

/// Creates model packs from published files, for `scripts/setup`.
struct PackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract:
            "Assemble and check model packs. scripts/setup calls this; people rarely need it.",
        shouldDisplay: false,
        subcommands: [
            AssemblePackCommand.self, BuildPackCommand.self, AddPresentationCommand.self,
            VerifyPackCommand.self,
        ])
}
