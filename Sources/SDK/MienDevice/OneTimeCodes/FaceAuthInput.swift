public import MienCore
public import MienFace
package import MienVault

/// Proof that an enrolled person was in front of this device's camera just now. It unlocks an OTP
/// token in face mode once, within 60 s.
///
/// Only ``FaceAuthService/verify(_:in:reader:matcher:settings:capture:onFrame:)`` creates it, from
/// a verdict reached there.
public final class FaceAuthInput: Sendable {
    public static let lifetime = Duration.seconds(60)

    /// The capture that was judged.
    public let capture: CaptureID
    let mode: FaceAuthMode
    private let madeAt: ContinuousClock.Instant
    private let isSpent = Locked(false)

    /// - Returns: `nil` unless the verdict accepts its own live capture and has compared it.
    init?(_ verdict: VerificationVerdict, _ mode: FaceAuthMode, at now: ContinuousClock.Instant) {
        guard case .accepted(let live, score: .some) = verdict.outcome, live.id == verdict.capture,
            live.mode != .image
        else { return nil }
        (capture, self.mode, madeAt) = (verdict.capture, mode, now)
    }

    /// Uses up the input, whatever the result.
    ///
    /// - Throws: ``OTPTokenError`` `.inputSpent`.
    func spend(at now: ContinuousClock.Instant) throws(OTPTokenError) {
        let isFirst = isSpent.withLock { isSpent in
            defer { isSpent = true }
            return !isSpent
        }
        guard isFirst else {
            throw OTPTokenError(
                .inputSpent, "This face verification was already used. Verify again.")
        }
        guard (.zero..<Self.lifetime).contains(now - madeAt) else {
            throw OTPTokenError(
                .inputSpent, "This face verification is older than 60 seconds. Verify again.")
        }
    }
}

/// The result of a verification, and the input that it allows.
public struct FaceAuthentication: Sendable {
    public let verdict: VerificationVerdict
    /// The input for an OTP token; `nil` if the verdict refuses, in the mode `image`, and for a
    /// person who is enrolled for recognition only.
    public let input: FaceAuthInput?
    /// The fate of a template that another model pack made; `nil` for others and if the verdict
    /// refuses.
    public internal(set) var migration: FaceMigrationNotice?

    init(
        verdict: VerificationVerdict, input: FaceAuthInput?,
        migration: FaceMigrationNotice? = nil
    ) {
        (self.verdict, self.input, self.migration) = (verdict, input, migration)
    }

    /// Compares the person in front of `frames` with `template`, in a session of its own. It checks
    /// no license and no confirmation, and counts no tries. ``FaceAuthService`` does those; only it
    /// and tests call this function.
    ///
    /// - Parameters:
    ///   - mode: The enrollment that the template belongs to; by default, one that began with it.
    ///   - former: The pack of the template, if it is not the reader's. `matcher` is then not used.
    package static func run(
        _ template: FaceTemplate, of person: PersonName, in frames: some FrameSource,
        reader: some LiveFaceReader, matcher: FaceMatcher,
        settings: VerificationSettings, challenge: LivenessChallenge?, capture: CaptureID,
        mode: FaceAuthMode? = nil, former: FormerFacePack? = nil,
        now: @Sendable () -> ContinuousClock.Instant = { .now },
        onFrame: (@Sendable (FrameEvent) async -> Void)?
    ) async throws -> FaceAuthentication {
        let matcher = former?.matcher ?? matcher, enrolled = try matcher.reference(for: template)
        let described = Locked<FaceTemplate.Entry?>(nil)
        var describeAgain: (@Sendable (FaceReading) async throws -> Bool)?
        if let former {
            describeAgain = { reading in
                let entry = try await former.entry(of: reading)
                described.withLock { $0 = entry }
                return entry != nil
            }
        }
        let verifier = FaceVerifier(
            reader: reader, settings: settings, describeAgain: describeAgain
        ) { entry in
            let compared = described.withLock { $0 } ?? entry
            return matcher.score(try matcher.reference(for: compared.descriptor), enrolled)
        }
        let verdict = try await verifier.verdict(
            of: frames, capture: capture, challenge: challenge, onFrame: onFrame)
        return FaceAuthentication(
            verdict: verdict,
            input: FaceAuthInput(
                verdict, mode ?? FaceAuthMode(template, of: person), at: now()))
    }
}
