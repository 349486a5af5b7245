import ArgumentParser
import MienTools

/// The executable: reads arguments, connects the modules, and prints results. It makes no decisions
/// about faces.
@main
struct MienCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mien",
        abstract: "Face authentication on your own machine.",
        discussion: """
            Enroll a person from photos, verify and identify them, refuse others. Nothing leaves this \
            machine.

            EXAMPLE
              mien face enroll ada ada1.jpg ada2.jpg
              mien face verify ada today.jpg && echo "it is Ada"

            EXIT CODES
              0 yes: a match, or done    1 no match    2 bad input    3 not set up
            """,
        version: "mien 0.1.0",
        subcommands: [
            FaceCommand.self, DocumentCommand.self, OTPCommand.self, OTPTokenCommand.self,
            JourneyCommand.self, ServeCommand.self, StoreCommand.self, AdminCommand.self,
            BackupCommand.self, RestoreCommand.self, ServerKeysCommand.self, EvidenceCommand.self,
            DesktopCommand.self, ModelsCommand.self, PackCommand.self,
            DoctorCommand.self,
            DemoCommand.self,
        ])

    static func main() { runToEnd() }
}
