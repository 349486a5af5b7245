internal import MienAPI

/// The answers that a client can give to one step of a definition, for generated code.
struct ClientStep {
    struct Answer {
        /// The option's ID on the wire.
        let id: String
        let label: String
        /// The fields of the data; `nil` if the data depends on the step's state.
        let schema: InputSchema?
    }

    let id: StepID
    let type: StepType
    let wireName: JourneyStepName
    /// The step's own branches, then the options that all steps of its type have.
    let answers: [Answer]

    /// Returns the steps that ask the client, by name.
    static func all(of definition: JourneyDefinition) -> [ClientStep] {
        definition.steps.values.sorted { $0.id < $1.id }.compactMap(ClientStep.init)
    }

    private init?(_ step: StepDefinition) {
        guard let wireName = step.type.wireName, let client = step.step.client else { return nil }
        (id, type, self.wireName) = (step.id, step.type, wireName)
        let form = (step.step as? LoginForm)?.branches.map {
            Answer(id: $0.id, label: $0.label, schema: $0.schema)
        }
        let branches = client.branches.map {
            Answer(id: $0.id, label: $0.label, schema: $0.schema)
        }
        var answers = (form ?? []) + branches
        if form == nil {
            answers.append(Answer(id: "client_input", label: "Continue", schema: nil))
        }
        if step.step is EmailOTPAuthentication {
            answers.append(Answer(id: "resend", label: "Send another code", schema: .nothing))
        }
        if step.step.clientCanFail {
            answers.append(Answer(id: "fail", label: "Failure", schema: .nothing))
        }
        self.answers = answers + [Answer(id: "cancel", label: "Cancel", schema: .nothing)]
    }
}

/// Names in generated code.
enum CodeName {
    /// Returns `userIdentifier` for `user_identifier`, and `UserIdentifier` with a capital.
    ///
    /// - Parameter reserved: Words that get a trailing underscore.
    static func camel(_ text: String, capital: Bool = false, reserved: Set<String> = []) -> String {
        let words = text.split { !$0.isLetter && !$0.isASCIIDigit }.map(String.init)
        let joined = words.enumerated().map { index, word in
            let isUpper = index > 0 || capital
            return (isUpper ? word.prefix(1).uppercased() : word.prefix(1).lowercased())
                + word.dropFirst()
        }.joined()
        let name =
            joined.first.map(\.isLetter) ?? false ? joined : "_\(joined.isEmpty ? "0" : joined)"
        return reserved.contains(name) ? name + "_" : name
    }

    /// Returns distinct names for texts that may have the same one.
    static func distinct(_ names: [String]) -> [String] {
        var used: Set<String> = []
        return names.map { name in
            var next = name, number = 2
            while !used.insert(next).inserted {
                next = "\(name)\(number)"
                number += 1
            }
            return next
        }
    }

    /// Returns the text for a comment: one line without control characters or an end of a comment.
    static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.generalCategory == .control || $0.value == 0x2028
                        || $0.value == 0x2029 ? " " : $0
                })
        ).replacing("*/", with: "* /")
    }
}
