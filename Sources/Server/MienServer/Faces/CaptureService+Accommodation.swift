internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienStore

/// Captures of people who cannot perform every action.
///
/// The session knows only which actions to replace, and forgets it when it ends: neither the audit
/// log nor a token says that anything was replaced.
extension CaptureService {
    /// Notes the actions that the person cannot perform. A later call replaces the list.
    ///
    /// - Throws: ``Problem``: `.captureClosed` if the session has ended, `.invalidState` if its
    ///   actions have been drawn, `.invalidRequest` for unknown actions, `.notPermitted` if the
    ///   remaining actions may not or cannot prove a live person.
    func accommodate(token: String, omitting words: [String]) async throws -> CaptureAnswer {
        let omitted = words.compactMap { LivenessPolicy.Action(rawValue: $0) }
        guard omitted.count == words.count, Set(words).count == words.count else {
            let allowed = LivenessPolicy.Action.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "omitted_actions",
                        message: "must contain different actions of \(allowed)")
                ])
        }
        return try await inTurn(token) { record, content in
            guard record.state == .open else { throw self.closed(content) }
            guard content.liveUntil == nil, self.live.find(record.id) == nil else {
                throw Problem(
                    .invalidState,
                    "The session has begun and its actions are drawn. Cancel it, start the step again, and send omitted_actions before POST /v1/capture/start."
                )
            }
            let all = content.rulesForAll ?? content.rules
            guard let rules = omitted.isEmpty ? all : all.omitting(omitted) else {
                throw Problem(
                    .notPermitted,
                    "Without these actions, the capture cannot prove a live person, or the app does not allow it. At least \(LivenessChallenge.minRemaining) actions must remain, with a turn to the left or right. Offer the person another way to sign in."
                )
            }
            var content = content
            (content.rules, content.rulesForAll) = (rules, all)
            try await self.records.write(record, content, from: record, [:])
            return self.answer(record, content)
        }
    }
}
