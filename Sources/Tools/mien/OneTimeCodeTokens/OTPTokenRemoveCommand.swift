import ArgumentParser
import MienDevice
import MienDeviceLinux
import MienTools

/// `mien token remove`
struct OTPTokenRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a token from this device.",
        discussion: """
            The server still has the token; its user or an administrator can remove it there. --all \
            works even if the tokens can no longer be decrypted.

            EXAMPLE
              mien token remove shop
              mien token remove --all
            """)

    @OptionGroup var token: OTPTokenOptions
    @Flag(help: "Remove all tokens and the key that they are sealed with.") var all = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !all || token.token == nil else {
            throw ValidationError("--all cannot be combined with a token")
        }
    }

    func run() async throws {
        let vault = try DeviceTokens.vault()
        if all {
            try await DeviceTokens.reset()
            output.tell(["removed": "all"], "Removed all tokens.")
            return
        }
        guard token.token != nil else {
            throw ValidationError("name the token to remove, or remove all with --all")
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
