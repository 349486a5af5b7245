import ArgumentParser
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienModels
import MienTools
import MienVault

/// `mien token face on | off`
struct OTPTokenFaceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face", abstract: "Enable or disable face unlock for a token.",
        discussion: """
            EXAMPLE
              mien token face on --name ada
              mien token face off
            """,
        subcommands: [On.self, Off.self])

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Let an enrolled person's face unlock a token.",
            discussion: """
                Asks for the PIN, and cannot verify it: after a wrong PIN, the face gives wrong codes. \
                Upgrade the token first, and enroll the person live (mien face enroll --camera): a face \
                that was enrolled from photos unlocks nothing. A face that was locked by five failed \
                attempts is unlocked, but only for this token: repeat the command for each of its other \
                tokens.

                EXAMPLE
                  mien token face on shop --name ada
                """)

        @OptionGroup var token: OTPTokenOptions
        @Option(help: "The person, as enrolled with mien face enroll.") var name: String
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let vault = try DeviceTokens.vault(), found = try await token.find(in: vault),
                person = try PersonName(name)
            guard let enrolled = try MienHome.current.openStore().find(person) else {
                throw Failure(
                    .badInput, "name.unknown",
                    "nobody is enrolled as “\(person.text.inSentence)”; mien face list shows the enrolled people"
                )
            }
            var input = SecretInput()
            let pin = try PINInput(input.next("PIN"))
            let service = try DeviceFaces.service(enrolled.template.packID)
            // Check this before the lock: a person who is enrolled for recognition only has no
            // lock.
            let mode = try await service.authMode(of: enrolled.name)
            // After five failed attempts: deactivates the face everywhere, and activates it for
            // this token with the PIN.
            try await service.unlock(enrolled.name)
            try await vault.activateAuthMode(mode, on: found.id, pin: pin)
            if output.json {
                JSON.print(OTPTokenOutput(try await vault.token(found.id)))
            } else {
                Terminal.say(
                    "The face of \(enrolled.name.text.inSentence) unlocks token \(found.id).")
            }
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "Disable face unlock for a token.",
            discussion: """
                EXAMPLE
                  mien token face off shop
                """)

        @OptionGroup var token: OTPTokenOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
            try await vault.deactivateAuthMode(on: found.id)
            if output.json {
                JSON.print(OTPTokenOutput(try await vault.token(found.id)))
            } else {
                Terminal.say("No face unlocks token \(found.id).")
            }
        }
    }
}
