import ArgumentParser
import Logging
import MienClient
import MienDevice
import MienDeviceLinux
import MienKeys
import MienTools

/// `mien token upgrade`
struct OTPTokenUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Allow a token to be unlocked in other ways than with the PIN.",
        discussion: """
            Asks for the PIN, and has the token's server check a code that is computed with it. Only if \
            the code is valid is the token changed: face unlock would use a wrong PIN unchanged. The \
            code is used up.

            EXAMPLE
              mien token upgrade shop
            """)

    @OptionGroup var token: OTPTokenOptions
    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
        guard let server = found.server else {
            throw Failure(
                .notSetUp, "token.not-confirmed",
                "token \(found.id) names no server that could check its codes: remove it and get a new one"
            )
        }
        let provisioning = try OTPProvisioning(
            MienOptions(serverPath: server, logLevel: .error, transport: authorities.transport()))
        var input = SecretInput()
        let pin = try PINInput(input.next("PIN"))
        try await vault.upgradeToMultiAuthMode(found.id, pin: pin) {
            try await provisioning.confirm($0, of: found.id)
        }
        if output.json {
            JSON.print(["upgraded": found.id])
        } else {
            Terminal.say(
                "Token \(found.id) can now be unlocked in other ways. Enable a face: mien token face on --name NAME"
            )
        }
    }
}
