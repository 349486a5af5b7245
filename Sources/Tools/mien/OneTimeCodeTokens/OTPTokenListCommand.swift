import ArgumentParser
import MienDevice
import MienDeviceLinux
import MienTools

/// `mien token list`
struct OTPTokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List this device's tokens.",
        discussion: """
            EXAMPLE
              mien token list
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tokens = try await DeviceTokens.vault().tokens().map(OTPTokenOutput.init)
        guard !output.json else { return JSON.print(["tokens": tokens]) }
        guard !tokens.isEmpty else { return print("This device has no tokens.") }
        let rows = tokens.map {
            [
                $0.id, $0.appId, $0.server ?? "", $0.kind, "\($0.digits)", $0.modes,
                AdminOutput.time($0.createdAt),
            ]
        }
        print(
            Terminal.table(
                rows, heading: ["id", "app", "server", "kind", "digits", "unlocked by", "since"],
                rightAligned: [4]))
    }
}
