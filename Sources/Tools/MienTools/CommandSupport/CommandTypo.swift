internal import ArgumentParser
internal import MienCore

/// A misspelled command in a program's arguments.
struct CommandTypo {
    private let meant: [String]

    /// Finds the first argument that should be a command and is none, if another command is meant.
    init?(_ arguments: some Sequence<String>, root: any ParsableCommand.Type) {
        var command = root, path = [root._commandName]
        for argument in arguments where !argument.hasPrefix("-") {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty else { return nil }
            if let next = subcommands.first(where: { $0._commandName == argument }) {
                command = next
                path.append(argument)
                continue
            }
            guard let meant = Self.meant(argument, below: command) else { return nil }
            self.meant = path + meant
            return
        }
        return nil
    }

    /// `Did you mean “mien face enroll”?`
    var hint: String { "Did you mean “\(meant.joined(separator: " "))”?" }

    /// Returns the nearest name of a subcommand; otherwise a deeper command of exactly this name,
    /// as in `mien verify`, if there is only one.
    private static func meant(_ word: String, below command: any ParsableCommand.Type) -> [String]?
    {
        let subcommands = command.configuration.subcommands
        var names: [String] = []
        for subcommand in subcommands { names.append(subcommand._commandName) }
        if let near = Suggestion.nearest(to: word, among: names) { return [near] }
        var deeper: [[String]] = []
        for (subcommand, name) in zip(subcommands, names) {
            for leaf in subcommand.configuration.subcommands where leaf._commandName == word {
                deeper.append([name, word])
            }
        }
        return deeper.count == 1 ? deeper[0] : nil
    }
}
