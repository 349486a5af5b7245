package import MienCore
internal import MienFace

/// A policy of the presentation network that judges live captures beside the active one, without
/// deciding them. It judges the network's score alone, which the active policy weighs with other signs.
package struct ShadowPresentation: Sendable, Equatable {
    package let mode: PresentationMode
    /// The least probability of a face, 0...1, that `require` accepts.
    package let threshold: Double

    /// A verdict on a capture.
    enum Decision: String {
        case accepted, refused
        /// Too few frames were judged. Where the check is required, the capture would have gone on.
        case unjudged
    }

    /// Judges a capture as a server with this policy would have.
    ///
    /// - Parameters:
    ///   - checks: The results of the capture's checks.
    ///   - refusals: All reasons for which it was refused; empty if it passed. The reasons of other
    ///     checks count whatever this policy says.
    func decision(about checks: [LivenessCheckResult], refusals: [String]) -> Decision {
        let others = refusals.filter { $0 != SessionRefusal.presentationAttack.rawValue }
        guard others.isEmpty else { return .refused }
        switch mode {
        case .off, .observe: return .accepted
        case .require:
            let check = checks.first { $0.check == .presentationAttack }
            guard let attack = check?.measured else { return .unjudged }
            return attack > 1 - threshold ? .refused : .accepted
        }
    }
}
