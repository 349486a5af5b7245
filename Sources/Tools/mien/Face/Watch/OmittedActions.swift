import ArgumentParser
import MienFace

/// Actions that a person cannot perform, separated by commas.
struct OmittedActions: ExpressibleByArgument {
    let actions: Set<LivenessAction>
    static let help: ArgumentHelp = ArgumentHelp(
        "Replace actions that you cannot perform, such as blink,look_up; five must remain, with a turn.",
        valueName: "actions")

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let actions = words.compactMap { LivenessAction(rawValue: String($0)) }
        guard actions.count == words.count, !actions.contains(.keepStill),
            LivenessChallenge.remaining(omitting: Set(actions)) != nil
        else { return nil }
        self.actions = Set(actions)
    }
}
