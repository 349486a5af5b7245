import ArgumentParser
import MienDevice

/// `mien token change-pin`
struct OTPTokenChangePINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-pin", abstract: "Put a token under another PIN.",
        discussion: """
            Asks for the present PIN, then for the new one. If the present one is wrong, the token is of no use from then on, and nothing says so: sign in with a code
            first.

            EXAMPLE
              mien token change-pin shop
            """)

    @OptionGroup var token: OTPTokenOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let vault = DeviceTokens.vault(), found = try await token.find(in: vault)
        var input = SecretInput()
        let old = try PINInput(input.next("present PIN")),
            new = try OTPTokenProvisionCommand.chosen(input.new("new PIN"))
        try await vault.changePIN(of: found.id, from: old, to: new)
        if output.json {
            JSON.print(["changed": found.id])
        } else {
            Terminal.say("Token \(found.id) is under the new PIN.")
        }
    }
}
