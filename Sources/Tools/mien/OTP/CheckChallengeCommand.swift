import ArgumentParser
import MienKeys
import MienTools

/// `mien otp check-challenge CHALLENGE`
struct CheckChallengeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-challenge",
        abstract: "Find the dynamic-signature template that a challenge names.",
        discussion: """
            Exits with 0 if the challenge names a template, and with 1 and the reason if it was mistyped.

            EXAMPLE
              mien otp check-challenge 00105
            """)

    @Argument(help: ArgumentHelp("Five digits.", valueName: "challenge")) var challenge: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let found: SampleChallenge
        do { found = try SampleChallenge(challenge) } catch {
            if output.json {
                JSON.print(Output(valid: false, template: nil, reason: error.reason))
            } else {
                Terminal.say("no: \(error.reason)")
            }
            throw Outcome.noMatch
        }
        if output.json {
            JSON.print(Output(valid: true, template: found.template, reason: nil))
        } else {
            Terminal.say("template \(found.template)")
        }
    }

    private struct Output: Encodable {
        let valid: Bool
        let template: Int?
        let reason: String?
    }
}
