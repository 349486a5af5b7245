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
            try self.requireNotBegun(
                record, content,
                "The session has begun and its actions are drawn. Cancel it, start the step again, and send omitted_actions before POST /v1/capture/start."
            )
            let all = content.rulesForAll ?? content.rules
            guard let rules = all.omitting(omitted, light: content.light) else {
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

    /// Notes how the screen will show colors, or that the person must not see them. A later call
    /// replaces it.
    ///
    /// - Throws: ``Problem``: `.captureClosed` if the session has ended, `.invalidState` if it has
    ///   begun, `.invalidRequest` for an unknown style, `.notPermitted` if the colors may not be left
    ///   out.
    func light(token: String, style word: String) async throws -> CaptureAnswer {
        guard let style = CaptureLightStyle(rawValue: word) else {
            let allowed = CaptureLightStyle.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field("style", "must be one of \(allowed)")
        }
        return try await inTurn(token) { record, content in
            try self.requireNotBegun(
                record, content,
                "The session has begun and its colors are drawn. Cancel it, start the step again, and send style before POST /v1/capture/start."
            )
            let all = content.rulesForAll ?? content.rules
            guard let rules = all.omitting(content.rules.omitted ?? [], light: style) else {
                throw Problem(
                    .notPermitted,
                    "The app requires the colors of the screen. Offer the person gentle ones, or another way to sign in."
                )
            }
            var content = content
            (content.rules, content.rulesForAll, content.light) = (rules, all, style)
            try await self.records.write(record, content, from: record, [:])
            return self.answer(record, content)
        }
    }

    private func requireNotBegun(_ record: CaptureRecord, _ content: Content, _ detail: String)
        throws
    {
        guard record.state == .open else { throw closed(content) }
        guard content.liveUntil == nil, live.find(record.id) == nil else {
            throw Problem(.invalidState, detail)
        }
    }
}

extension LivenessRules {
    /// Returns the rules for a person who leaves out these actions and, if the style is `off`, the
    /// colors; `nil` if that is not allowed.
    fileprivate func omitting(_ omitted: [LivenessPolicy.Action], light: CaptureLightStyle?)
        -> LivenessRules?
    {
        let rules = omitted.isEmpty ? self : omitting(omitted)
        return light == .off ? rules?.omittingLight() : rules
    }

    /// The colors as a client offers them before the session begins; `nil` without.
    var offeredLight: CaptureLight? {
        judgesLight
            ? CaptureLight(isRequired: light == .require, isOmittable: mayOmitLight) : nil
    }
}
