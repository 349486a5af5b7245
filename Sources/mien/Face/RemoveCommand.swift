import ArgumentParser
import MienVault

/// `mien face remove NAME`
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a person: erase the template.",
        discussion: """
            EXAMPLE
              mien face remove ada
            """)

    @Argument(help: "The name the person was enrolled under.") var name: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let name = try PersonName(name)
        guard try MienHomeFolder.current.openStore().remove(name) else {
            throw Failure(.badInput, "name.unknown", "nobody is enrolled as “\(name.text)”; mien face list shows who is")
        }
        if output.json { JSON.print(["removed": name.text]) } else { print("Removed \(name.text).") }
    }
}
