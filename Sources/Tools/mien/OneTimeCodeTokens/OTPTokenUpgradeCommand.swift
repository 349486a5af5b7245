import ArgumentParser
import MienDevice
import MienOTP

/// `mien token upgrade`
struct OTPTokenUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade", abstract: "Let a token have other modes than the PIN.",
        discussion: """
            Asks for the PIN and shows a code made with it. Sign in with that code before you switch a face on: nothing here can tell whether the PIN was right, and
            a wrong one would be switched on as it is.

            EXAMPLE
              mien token upgrade shop
            """)

    @OptionGroup var token: OTPTokenOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let vault = DeviceTokens.vault(), found = try await token.find(in: vault)
        var input = SecretInput()
        let pin = try PINInput(input.next("PIN"))
        let code = try await vault.code(of: found.id, with: .pin(pin))
        try await vault.upgradeToMultiAuthMode(found.id, pin: pin)
        if output.json {
            JSON.print(Output(upgraded: found.id, code: code.text))
        } else {
            Terminal.say(
                "Token \(found.id) can have other modes now. Sign in with \(code.text) before you switch one on: only so is it known that the PIN was right."
            )
        }
    }

    private struct Output: Encodable { let upgraded, code: String }
}
