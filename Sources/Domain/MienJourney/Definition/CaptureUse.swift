package import MienAPI

/// The steps that can use the selfie of a capture step.
struct CaptureUse: Sendable, Hashable {
    /// The face registrations, by name.
    var registrations: [StepID] = []
    /// The registrations that some path reaches without recording consent to their text.
    var unconsented: [StepID] = []
    /// The comparisons with a registered face, by name.
    var comparisons: [StepID] = []

    /// The purpose of a capture whose step names none. A selfie that is also compared is a guess,
    /// so it is counted as one.
    var purpose: CaptureRequest.Purpose {
        registrations.isEmpty || !comparisons.isEmpty ? .authentication : .registration
    }
}

extension CaptureUse {
    /// Returns the uses of every capture step of a definition.
    static func all(in definition: JourneyDefinition) -> [StepID: CaptureUse] {
        let captures = definition.steps.values.filter { step in
            step.step.facts.outcomes.contains { $0.capture == true }
        }.map(\.id)
        guard !captures.isEmpty else { return [:] }
        let flow = JourneyFlow(definition)
        return Dictionary(
            uniqueKeysWithValues: captures.map { ($0, CaptureUse(of: $0, in: definition, flow)) })
    }

    private init(of capture: StepID, in definition: JourneyDefinition, _ flow: JourneyFlow) {
        for id in Self.users(of: capture, in: definition, flow) {
            guard let consent = (definition.steps[id]?.step as? RegisterFace)?.consent else {
                comparisons.append(id)
                continue
            }
            registrations.append(id)
            guard consent.isAskedByCapture else { continue }
            let others = Self.users(of: capture, in: definition, flow, without: consent.textVersion)
            if others.contains(id) { unconsented.append(id) }
        }
    }

    /// Returns the steps that use the capture, found by following every path up to its use or to
    /// another capture.
    ///
    /// - Parameter textVersion: Leaves out paths that record consent to this text.
    private static func users(
        of capture: StepID, in definition: JourneyDefinition, _ flow: JourneyFlow,
        without textVersion: String? = nil
    ) -> [StepID] {
        let edges = Dictionary(grouping: flow.edges, by: \.from)
        func next(_ id: StepID, _ follows: (StepFacts.OutcomeFacts) -> Bool) -> [StepID] {
            let outcomes = definition.steps[id]?.step.facts.outcomes ?? []
            return (edges[id] ?? []).filter { edge in
                outcomes.contains { $0.outcome == edge.outcome && follows($0) }
            }.map(\.to)
        }
        var found: Set<StepID> = [], users: Set<StepID> = []
        var waiting = next(capture) { $0.capture == true }
        while let id = waiting.popLast() {
            guard found.insert(id).inserted, let facts = definition.steps[id]?.step.facts else {
                continue
            }
            if facts.needsCapture {
                users.insert(id)
            } else if !facts.takesCapture {
                waiting += next(id) {
                    textVersion == nil || $0.consentTextVersion != textVersion
                }
            }
        }
        return users.sorted()
    }
}

extension StepFacts {
    /// Whether the step replaces an unused capture by its own.
    var takesCapture: Bool { outcomes.contains { $0.capture == true } || replacesCapture }
}

/// The consent that a capture asks for before it takes a picture.
public struct CaptureConsent: Sendable, Hashable, Codable {
    public let textVersion: String
    public let title: String
    public let text: String
    public let button: String

    public init(textVersion: String, title: String, text: String, button: String) {
        (self.textVersion, self.title, self.text, self.button) = (textVersion, title, text, button)
    }

    /// The text of a journey that does not set its own. The pages show it in their language; a new
    /// wording needs a new version.
    package static let standard = CaptureConsent(
        textVersion: "standard-1", title: "Use your face to sign in",
        text:
            "We compute numbers from pictures of your face and store them, encrypted, to recognize you when you sign in. We do not keep the pictures. You can withdraw your consent at any time.",
        button: "I consent")

    /// The sentence that names the search for duplicates. A new wording needs a new
    /// ``searchVersion``.
    package static let searchText =
        "We also compare these numbers with those of this app's other users, to find people who register more than once. If two accounts look alike, people review them."
    /// The version of ``searchText``, which is recorded with the consent.
    package static let searchVersion = "search-1"

    /// The consent with the apps that share the face, and the search for duplicates, named.
    package func naming(search: Bool, _ sharing: FaceSharing?) -> CaptureConsent {
        CaptureConsent(
            textVersion: textVersion, title: title,
            text: Self.naming(search: search, sharing, in: text), button: button)
    }

    static func naming(search: Bool, _ sharing: FaceSharing?, in text: String) -> String {
        let shared = sharing?.named(in: text) ?? text
        return search ? "\(shared) \(searchText)" : shared
    }

    /// Divides a text that names the search from the sentence that does.
    ///
    /// - Returns: `nil` for other texts.
    package static func withoutSearch(_ text: String) -> String? {
        text.hasSuffix(" \(searchText)") ? String(text.dropLast(searchText.count + 1)) : nil
    }
}
