internal import MienAPI
internal import MienCore
internal import MienJourney

extension JourneyStepTypeAnswer {
    init(_ entry: StepCatalog.Entry) {
        self.init(
            type: entry.type.rawValue, role: .init(rawValue: entry.role.rawValue),
            journeyStepID: entry.type.wireName?.rawValue, settings: entry.settings,
            secrets: entry.secrets, example: entry.example, outcomes: entry.outcomes.map(\.name))
    }
}

extension CheckJourneyAnswer {
    init(_ draft: JourneyDraft) {
        self.init(
            findings: draft.findings.map {
                JourneyFindingAnswer(
                    severity: .init(rawValue: $0.severity.rawValue), code: $0.code.rawValue,
                    step: $0.step, setting: $0.setting, message: $0.message)
            },
            steps: Dictionary(
                uniqueKeysWithValues: draft.steps.map { ($0.key.text, CheckedStepAnswer($0.value)) }
            ))
    }
}

extension CheckedStepAnswer {
    fileprivate init(_ step: JourneyDraft.Step) {
        self.init(
            outcomes: step.ways.map {
                CheckedOutcomeAnswer(
                    id: $0.outcome.name, isRequired: $0.isRequired,
                    returnsTo: $0.returnsTo.map(\.text))
            },
            variables: step.variables?.map {
                VariableAnswer(
                    path: $0.path, isAlwaysSet: $0.isAlwaysSet, isOpen: $0.isOpen,
                    isSecret: $0.isSecret)
            })
    }
}

extension SimulateJourneyAnswer {
    init(_ rehearsal: JourneyRehearsal) {
        self.init(
            turns: rehearsal.turns.map(SimulatedTurnAnswer.init),
            variables: .object(rehearsal.variables),
            user: rehearsal.user.map {
                SimulatedUserAnswer(id: $0.id.text, level: $0.level.rawValue)
            })
        switch rehearsal.position {
        case .asking(let prompt): self.prompt = SimulatedPromptAnswer(prompt)
        case .completed(let end):
            completion = SimulatedCompletionAnswer(end)
        case .rejected(let end): rejection = SimulatedRejectionAnswer(end)
        case nil: break
        }
    }
}

extension SimulatedTurnAnswer {
    fileprivate init(_ turn: JourneyRehearsal.Turn) {
        self.init(
            path: turn.path.map {
                PassedStepAnswer(step: $0.step.text, outcome: $0.outcome.name)
            },
            mistake: turn.mistake.map { mistake in
                ClientMistakeAnswer(
                    code: mistake.code.rawValue,
                    problems: mistake.problems.map { .init(field: $0.field, message: $0.message) })
            })
    }
}

extension SimulatedPromptAnswer {
    init(_ prompt: ClientPrompt) {
        self.init(
            step: prompt.stepID.text, journeyStepID: prompt.journeyStepID, data: prompt.data,
            options: prompt.options.map(\.json), error: prompt.failure?.rawValue)
    }
}

extension SimulatedCompletionAnswer {
    init(_ end: Completion) {
        self.init(
            user: end.signedInUser?.text, amr: end.user?.amr ?? [], acr: end.acr,
            claims: .object(end.claims))
    }
}

extension SimulatedRejectionAnswer {
    init(_ end: Rejection) {
        self.init(cause: end.cause.rawValue, step: end.step?.text, reason: end.reason)
    }
}
