import ArgumentParser
import MienDevice

/// `mien token remove`
struct OTPTokenRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Erase a token from this device.",
        discussion: """
            The server still knows it: there, its user or an administrator removes it. --all also works where the tokens do not open any more.

            EXAMPLE
              mien token remove shop
              mien token remove --all
            """)

    @OptionGroup var token: OTPTokenOptions
    @Flag(help: "Erase all tokens, and the key that they are sealed under.") var all = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !all || token.token == nil else { throw ValidationError("--all takes no token") }
    }

    func run() async throws {
        let vault = DeviceTokens.vault()
        if all {
            try await DeviceTokens.reset()
            if output.json { JSON.print(["removed": "all"]) } else { print("Removed all tokens.") }
            return
        }
        guard token.token != nil else {
            throw ValidationError("name the token to remove, or all of them with --all")
        }
        let found = try await token.find(in: vault)
        try await vault.remove(found.id)
        if output.json {
            JSON.print(["removed": found.id])
        } else {
            Terminal.say("Removed token \(found.id).")
        }
    }
}
