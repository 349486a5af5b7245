import ArgumentParser

/// `mien face …`
struct FaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face", abstract: "Enrol, verify, identify and inspect faces; measure how well it works.",
        subcommands: [
            EnrollCommand.self, VerifyCommand.self, IdentifyCommand.self, ListCommand.self, RemoveCommand.self,
            CalibrateCommand.self, EvaluateCommand.self, InspectCommand.self,
        ])
}
