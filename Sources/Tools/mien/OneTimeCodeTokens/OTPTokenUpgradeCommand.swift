import ArgumentParser
import MienCommandSupport
import MienDevice
import MienDeviceLinux
import MienOTP

/// `mien token upgrade`
struct OTPTokenUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Allow a token to be unlocked in other ways than with the PIN.",
        discussion: """
            Asks for the PIN and shows a code computed with it. Sign in with that code before you \
            enable face unlock. This command cannot tell whether the PIN was right, and face unlock \
            would use a wrong one unchanged.

            EXAMPLE
              mien token upgrade shop
            """)

    @OptionGroup var token: OTPTokenOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
        var input = SecretInput()
        let pin = try PINInput(input.next("PIN"))
        let code = try await vault.code(of: found.id, with: .pin(pin))
        try await vault.upgradeToMultiAuthMode(found.id, pin: pin)
        if output.json {
            JSON.print(Output(upgraded: found.id, code: code.text))
        } else {
            Terminal.say(
                "Token \(found.id) can now be unlocked in other ways. First sign in with \(code.text): only that proves that the PIN was right."
            )
        }
    }

    private struct Output: Encodable { let upgraded, code: String }
}
