public import ArgumentParser
internal import Foundation

extension AsyncParsableCommand {
    /// Runs the command that the arguments name, reports its error, and ends the process with the
    /// exit code.
    ///
    /// Help, completion scripts, refused arguments, and commands that do not wait start no thread:
    /// the pool of the runtime watches its threads through `/proc`, and can crash in a process that
    /// is ending already.
    public static func runToEnd() -> Never {
        do {
            var command = try parsed()
            if !(command is any AsyncParsableCommand) {
                try command.run()
                Foundation.exit(Outcome.match.rawValue)
            }
        } catch {
            Foundation.exit(report(error, arguments: CommandLine.arguments).rawValue)
        }
        // All the command's work has ended when it returns, because engines wait for their workers.
        Task { Foundation.exit(await outcome().rawValue) }
        dispatchMain()
    }

    private static func outcome() async -> Outcome {
        do {
            var command = try parsed()
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

    private static func parsed() throws -> any ParsableCommand {
        try parseAsRoot(joiningNegativeValues(CommandLine.arguments.dropFirst()))
    }

    /// Joins options and negative numbers after them, which the parser would take for other options
    /// and call the value missing: `--counter -1` becomes `--counter=-1`.
    private static func joiningNegativeValues(_ arguments: some Sequence<String>) -> [String] {
        var joined: [String] = []
        for argument in arguments {
            if let last = joined.last, last.hasPrefix("--"), last != "--", !last.contains("="),
                !joined.contains("--"), argument.wholeMatch(of: /-[0-9][0-9.]*/) != nil
            {
                joined[joined.count - 1] += "=" + argument
            } else {
                joined.append(argument)
            }
        }
        return joined
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
