import ArgumentParser
import MienDevice
import MienDeviceLinux
import MienTools

/// `mien token change-pin`
struct OTPTokenChangePINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-pin", abstract: "Change the PIN of a token.",
        discussion: """
            Asks for the current PIN, then for the new one. If the current PIN is wrong, the token is \
            unusable from then on, and this command does not report it: sign in with a code first.

            EXAMPLE
              mien token change-pin shop
            """)

    @OptionGroup var token: OTPTokenOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
        var input = SecretInput()
        let old = try PINInput(input.next("current PIN")),
            new = try OTPTokenProvisionCommand.chosen(input.new("new PIN"))
        try await vault.changePIN(of: found.id, from: old, to: new)
        if output.json {
            JSON.print(["changed": found.id])
        } else {
            Terminal.say("Token \(found.id) has the new PIN.")
        }
    }
}
