import Foundation
import MienFace
import MienTools

/// One presentation to the liveness checks, as ISO/IEC 30107-3 counts them. Stored as a line of JSON.
struct PADTrial: Codable {
    enum Mode: String, CaseIterable { case active, passive }

    enum Outcome: Hashable {
        case accepted
        /// A liveness check refused it, for this reason.
        case refused(String)
        /// It ended without a judgment by a liveness check, for this reason: for example, because
        /// the person was asked to move back and did not.
        case nonResponse(String)
    }

    let pack: String
    /// The mode of the presentation check.
    let presentation: String
    /// The number of the person whose photo the attack is made from; `nil` for clips.
    let person: Int?
    /// The kind of trial, with its mode.
    let kind: String
    /// The first reason of a liveness check, or else any; `nil` if it was accepted.
    let reason: String?
    /// Whether a liveness check judged it.
    let isAnswered: Bool
    /// The first reason other than the decision about cues, which a threshold moves; `nil` without.
    let otherReason: String?
    /// The sum of the weights of the cues; `nil` if none was measured.
    let total: Double?

    init(
        pack: String, presentation: String, person: Int?, kind: String, session: LivenessSession
    ) {
        (self.pack, self.presentation, self.person, self.kind) = (pack, presentation, person, kind)
        // A session that had not ended when the actor did has no refusals.
        let refusals = session.refusals ?? [.sourceEnded]
        otherReason = refusals.first { !Self.reasonsOfDecision.contains($0) }?.rawValue
        total = session.decision.weights.isEmpty ? nil : session.decision.total
        let found = refusals.first(where: \.isOfLiveness) ?? refusals.first
        (reason, isAnswered) = (found?.rawValue, found?.isOfLiveness ?? true)
    }

    private static let reasonsOfDecision: [SessionRefusal] = [
        .flat, .printOrScreen, .presentationAttack,
    ]

    /// Whether a session with this largest sum of weights accepts it.
    func isAccepted(upTo limit: Double) -> Bool { otherReason == nil && total ?? 0 <= limit }

    var outcome: Outcome {
        guard let reason else { return .accepted }
        return isAnswered ? .refused(reason) : .nonResponse(reason)
    }

    /// Reads files with one trial per line.
    ///
    /// - Throws: ``Failure`` when a file is missing or a line is not a trial.
    static func read(_ paths: [String]) throws -> [Self] {
        try paths.flatMap { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw Failure(.badInput, "trials.unreadable", "\(path): the file cannot be read")
            }
            return try text.split(whereSeparator: \.isNewline).enumerated().map { index, line in
                guard let trial = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else {
                    throw Failure(
                        .badInput, "trials.line",
                        "\(path), line \(index + 1): expected a trial as mien-bench liveness pad prints it"
                    )
                }
                return trial
            }
        }
    }

    var isAttack: Bool { !kind.contains("clip") }

    var mode: Mode { kind.contains("passive") ? .passive : .active }

    /// The kind without its mode: the attack instrument, or the kind of clip.
    var species: String {
        Mode.allCases.reduce(kind) { name, mode in
            name.replacing(", \(mode.rawValue)", with: "").replacing(" \(mode.rawValue)", with: "")
        }.replacing("attack ", with: "")
    }
}
