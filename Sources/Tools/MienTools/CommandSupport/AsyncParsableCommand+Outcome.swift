public import ArgumentParser
internal import Foundation

extension AsyncParsableCommand {
    /// Runs the command that the arguments name, reports its error, and returns the exit code.
    public static func outcome() async -> Outcome {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .match
        } catch {
            return report(error, arguments: CommandLine.arguments)
        }
    }

    /// Prints `error` and returns its exit code.
    ///
    /// Help goes to standard output. Errors go to standard error; with `--json` also to standard
    /// output, as an object.
    private static func report(_ error: any Error, arguments: [String]) -> Outcome {
        if let outcome = error as? Outcome { return outcome }
        if error is CleanExit || exitCode(for: error) == .success {
            print(fullMessage(for: error))
            return .match
        }
        let failure: Failure
        if isUsage(error) {
            let hint = CommandTypo(arguments.dropFirst(), root: self)?.hint
            failure = Failure(
                .badInput, "usage",
                [message(for: error), hint].compactMap(\.self).joined(separator: " "))
            Terminal.warn(fullMessage(for: error))
            if let hint { Terminal.warn(hint) }
        } else {
            failure = Failure(error)
            Terminal.warn("\(configuration.commandName ?? "\(self)"): \(failure.message)")
        }
        if arguments.contains("--json") {
            JSON.print(["error": ["code": failure.code, "message": failure.message]])
        }
        return failure.outcome
    }

    /// Whether the argument parser rejected an argument.
    private static func isUsage(_ error: any Error) -> Bool {
        error is ValidationError || exitCode(for: error) == .validationFailure
    }
}
