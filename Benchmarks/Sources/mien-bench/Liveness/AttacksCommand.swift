import ArgumentParser
import MienTools

/// `mien-bench liveness attacks`
struct AttacksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attacks", abstract: "Play attacks made from photos of people.",
        discussion: """
            PHOTOS contains one folder of photos per person. The same numbers draw the same challenges.

            EXAMPLE
              mien-bench liveness attacks photos 30
              mien-bench liveness attacks photos 6 300
            """)

    @Argument(help: ArgumentHelp("A folder with one folder of photos per person."))
    var photos: String
    @Argument(help: ArgumentHelp("How many people to attack with."))
    var people: Int
    @Argument(help: ArgumentHelp("How many photos to leave out at the beginning."))
    var skipped = 0
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard people > 0 else {
            throw ValidationError("PEOPLE must be greater than 0, not \(people)")
        }
        guard skipped >= 0 else {
            throw ValidationError("SKIPPED must be 0 or greater, not \(skipped)")
        }
    }

    func run() async throws {
        var trials = try LivenessCommand.trials(engine, photos: PersonPhotos(folder: photos))
        try await trials.attacks(people: people, skipping: skipped)
        trials.printTable()
    }
}
