/// Checks that the steps that use a selfie agree on its purpose and on the consent to ask for.
enum CaptureCheck {
    static func findings(_ definition: JourneyDefinition) -> [LintFinding] {
        definition.captureUses.flatMap { id, use in
            purpose(id, use, definition) + consent(id, use, definition)
        }
    }

    private static func purpose(_ id: StepID, _ use: CaptureUse, _ definition: JourneyDefinition)
        -> [LintFinding]
    {
        guard let step = definition.steps[id]?.step, let registration = use.registrations.first,
            ((step as? SelfieAcquisition)?.purpose ?? use.purpose) == .authentication
        else { return [] }
        let remedy =
            use.comparisons.first.map {
                "“\($0)” compares the same selfie; take another selfie before “\(registration)”"
            } ?? "remove purpose, or set it to “registration”"
        return [
            LintFinding(
                .warning, .capturePurpose, id, step is SelfieAcquisition ? "purpose" : nil,
                "“\(registration)” stores this selfie, but for authentication it is taken from one frame only; \(remedy)"
            )
        ]
    }

    private static func consent(_ id: StepID, _ use: CaptureUse, _ definition: JourneyDefinition)
        -> [LintFinding]
    {
        let versions = Set(
            use.unconsented.compactMap {
                (definition.steps[$0]?.step as? RegisterFace)?.consent.textVersion
            })
        guard versions.count > 1 else { return [] }
        return [
            LintFinding(
                .error, .consentMissing, id, nil,
                "the capture can ask for one consent, but the steps that store its selfie need \(versions.sorted().joined(separator: ", ")): use one text_version, or add a record_consent step for each"
            )
        ]
    }
}
