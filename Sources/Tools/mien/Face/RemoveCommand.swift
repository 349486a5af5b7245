import ArgumentParser
import MienDevice
import MienDeviceLinux
import MienModels
import MienTools
import MienVault

/// `mien face remove NAME`
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete a person's template.",
        discussion: """
            EXAMPLE
              mien face remove ada
            """)

    @Argument(help: "The name of the enrolled person.") var name: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let name = try PersonName(name), store = try MienHome.current.openStore()
        guard try store.find(name) != nil else { throw unknown(name) }
        // Locks the tokens that the face unlocks first. If that fails, the face stays.
        do { try await DeviceFaces.service().unenroll(name) } catch let error as FaceAuthError
            where error.code == .notEnrolled
        { throw unknown(name) }
        output.tell(["removed": name.text], "Removed \(name.text.inSentence).")
    }

    private func unknown(_ name: PersonName) -> Failure {
        Failure(
            .badInput, "name.unknown",
            "nobody is enrolled as “\(name.text.inSentence)”; mien face list shows the enrolled people"
        )
    }
}
