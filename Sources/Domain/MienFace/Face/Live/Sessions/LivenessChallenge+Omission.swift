/// Challenges for people who cannot perform every action.
extension LivenessChallenge {
    /// The fewest actions to draw from when some are omitted. Anyone who begins a sign-in can omit
    /// some, so fewer would give a recording too many chances: four actions in a row from four have
    /// 24 sequences.
    public static let minRemaining = 5

    /// Returns the actions that remain without `omitted`; `nil` if they do not suffice to prove a
    /// live person. They must include a turn to the left or right, since only a turn proves depth.
    ///
    /// - Parameter actions: The actions to draw from for people who can perform all of them.
    public static func remaining(
        _ actions: [LivenessAction] = LivenessAction.drawable, omitting omitted: Set<LivenessAction>
    ) -> [LivenessAction]? {
        let rest = actions.filter { !omitted.contains($0) }
        guard rest.count >= minRemaining, rest.contains(where: \.isTurn) else { return nil }
        return rest
    }

    /// Draws a challenge without the actions that the person cannot perform.
    ///
    /// Other actions replace them: three are drawn from six, four from five. There are 60 or more
    /// sequences, as against 172 without an omission.
    /// The challenge always includes a turn, so it proves the same as any other.
    ///
    /// - Parameters:
    ///   - omitted: If none of `actions` is among them, this draws like
    ///     ``drawn(count:from:using:)``.
    ///   - count: The least number of actions.
    ///   - actions: As in ``drawn(count:from:using:)``.
    /// - Returns: `nil` if the remaining actions do not suffice: see ``remaining(_:omitting:)``.
    public static func drawn(
        omitting omitted: Set<LivenessAction>, count: Int? = nil,
        from actions: [LivenessAction] = LivenessAction.drawable,
        using generator: inout some RandomNumberGenerator
    ) -> LivenessChallenge? {
        guard !omitted.isDisjoint(with: actions) else {
            return drawn(count: count, from: actions, using: &generator)
        }
        guard let rest = remaining(actions, omitting: omitted) else { return nil }
        let least = rest.count >= 6 ? 3 : 4
        return drawn(count: max(count ?? least, least), from: rest, using: &generator)
    }
}
