import ArgumentParser
import MienCore
import MienDevice
import MienFace
import MienVault

/// `mien token face on | off`
struct OTPTokenFaceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face", abstract: "Let a face open a token, or not any more.",
        discussion: """
            EXAMPLE
              mien token face on --name ada
              mien token face off
            """,
        subcommands: [On.self, Off.self])

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Let an enrolled person's face open a token.",
            discussion: """
                Asks for the PIN, and compares it with nothing: a wrong one makes the face give wrong codes. The token has to be upgraded first.
                A face that was locked by five looks in vain may be tried again then; it opens no other token until it is switched on there, too.

                EXAMPLE
                  mien token face on shop --name ada
                """)

        @OptionGroup var token: OTPTokenOptions
        @Option(help: "The person, as enrolled with mien face enroll.") var name: String
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let vault = DeviceTokens.vault(), found = try await token.find(in: vault),
                person = try PersonName(name)
            guard let enrolled = try MienHomeFolder.current.openStore().find(person) else {
                throw Failure(
                    .badInput, "name.unknown",
                    "nobody is enrolled as “\(person.text)”; mien face list shows who is")
            }
            var input = SecretInput()
            let pin = try PINInput(input.next("PIN"))
            let mode = FaceAuthMode(enrolled.template, of: enrolled.name)
            // After five looks in vain: the face mode ends everywhere, and this token's is
            // activated with the PIN.
            try await DeviceTokens.faces(enrolled.template.packID).unlock(mode)
            try await vault.activateAuthMode(mode, on: found.id, pin: pin)
            if output.json {
                JSON.print(OTPTokenOutput(try await vault.token(found.id)))
            } else {
                Terminal.say("The face of \(enrolled.name.text) opens token \(found.id).")
            }
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "Let no face open a token any more.",
            discussion: """
                EXAMPLE
                  mien token face off shop
                """)

        @OptionGroup var token: OTPTokenOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let vault = DeviceTokens.vault(), found = try await token.find(in: vault)
            try await vault.deactivateAuthMode(on: found.id)
            if output.json {
                JSON.print(OTPTokenOutput(try await vault.token(found.id)))
            } else {
                Terminal.say("No face opens token \(found.id).")
            }
        }
    }
}
