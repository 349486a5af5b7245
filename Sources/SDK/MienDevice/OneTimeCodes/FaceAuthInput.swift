#if canImport(MienTPM)
public import MienCore
public import MienFace
package import MienVault
internal import Synchronization

/// That an enrolled person was in front of this device's camera just now: opens a token in face
/// mode, once, within 60 s.
///
/// Made by ``FaceAuthService/verify(_:in:reader:matcher:settings:capture:onFrame:)`` alone, from a
/// verdict that was reached there.
public final class FaceAuthInput: Sendable {
    public static let lifetime = Duration.seconds(60)

    /// The capture that was judged.
    public let capture: CaptureID
    let mode: FaceAuthMode
    private let madeAt: ContinuousClock.Instant
    private let isSpent = Mutex(false)

    /// - Returns: `nil` unless the verdict accepts a capture, its own, and has compared it.
    init?(_ verdict: VerificationVerdict, _ mode: FaceAuthMode, at now: ContinuousClock.Instant) {
        guard case .accepted(let live, score: .some) = verdict.outcome, live.id == verdict.capture
        else { return nil }
        (capture, self.mode, madeAt) = (verdict.capture, mode, now)
    }

    /// Uses it up, whatever comes of it.
    ///
    /// - Throws: ``OTPTokenError`` `.inputSpent`.
    func spend(at now: ContinuousClock.Instant) throws(OTPTokenError) {
        let isFirst = isSpent.withLock { isSpent in
            defer { isSpent = true }
            return !isSpent
        }
        guard isFirst else {
            throw OTPTokenError(.inputSpent, "this look at a face was used already: verify again")
        }
        guard (.zero..<Self.lifetime).contains(now - madeAt) else {
            throw OTPTokenError(
                .inputSpent, "this look at a face is older than 60 seconds: verify again")
        }
    }
}

/// How a verification ended, and what it opens.
public struct FaceAuthentication: Sendable {
    public let verdict: VerificationVerdict
    /// `nil` when the verdict refuses.
    public let input: FaceAuthInput?

    /// Compares whoever is in front of `frames` with `template`, in a session of its own. Checks no
    /// licence, counts no try and takes any mode: those are ``FaceAuthService``'s to see to; nobody
    /// else calls it but tests.
    package static func run(
        _ template: FaceTemplate, of person: PersonName, in frames: some FrameSource,
        reader: some LiveFaceReader, matcher: FaceMatcher,
        settings: VerificationSettings, challenge: LivenessChallenge?, capture: CaptureID,
        now: @Sendable () -> ContinuousClock.Instant = { .now },
        onFrame: (@Sendable (FrameEvent) async -> Void)?
    ) async throws -> FaceAuthentication {
        let enrolled = try matcher.reference(for: template)
        let verifier = FaceVerifier(reader: reader, settings: settings) { entry in
            matcher.score(try matcher.reference(for: entry.descriptor), enrolled)
        }
        let verdict = try await verifier.verdict(
            of: frames, capture: capture, challenge: challenge, onFrame: onFrame)
        return FaceAuthentication(
            verdict: verdict,
            input: FaceAuthInput(verdict, FaceAuthMode(template, of: person), at: now()))
    }
}
#endif
