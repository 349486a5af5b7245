import ArgumentParser
import MienDevice
import MienDeviceLinux
import MienTools

/// `mien face pin`
struct PINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Set or change the device's PIN.",
        discussion: """
            The PIN confirms live enrollments, so that the face may unlock tokens and keys. Asks for the \
            current PIN, if there is one, and for the new one. After five wrong PINs, one attempt a \
            minute is allowed; after twenty, only --reset helps. It removes the PIN and every \
            confirmation: people stay enrolled for recognition, and no face unlocks anything.

            EXAMPLE
              mien face pin
            """)

    @Flag(help: "Remove the PIN and all confirmations instead.") var reset = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let service = try DeviceFaces.service()
        if reset {
            try await service.resetPIN()
            return report("reset", "Removed the PIN. No face unlocks anything.")
        }
        var input = SecretInput()
        let old = try await service.isPINSet() ? try input.next("current PIN") : nil
        if let old { try await service.checkPIN(old) }
        let new = try OTPTokenProvisionCommand.chosen(input.new("new PIN, 4 to 12 digits"))
        try await service.setPIN(new, replacing: old)
        report(old == nil ? "set" : "changed", old == nil ? "Set the PIN." : "Changed the PIN.")
    }

    private func report(_ word: String, _ sentence: String) {
        if output.json { JSON.print(["pin": word]) } else { print(sentence) }
    }
}
