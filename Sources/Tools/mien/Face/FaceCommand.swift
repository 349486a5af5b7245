import ArgumentParser

/// `mien face …`
struct FaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face",
        abstract: "Enroll, verify, identify, inspect, and watch faces; measure accuracy.",
        discussion: """
            EXAMPLE
              mien face enroll ada ada1.jpg ada2.jpg
              mien face identify visitor.jpg
            """,
        subcommands: [
            EnrollCommand.self, VerifyCommand.self, IdentifyCommand.self, ListCommand.self,
            RemoveCommand.self, PINCommand.self,
            WatchCommand.self, CalibrateCommand.self, EvaluateCommand.self, InspectCommand.self,
        ])
}
