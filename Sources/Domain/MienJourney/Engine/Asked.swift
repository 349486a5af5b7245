public import MienCore

/// The prompt a run waits on, with what its step needs when the client responds.
public enum Asked: Sendable, Hashable, Codable {
    /// A prompt that needs no state.
    case input
    /// A prompt to take a selfie in a capture session.
    case capture(CaptureID)
    /// A prompt to complete a verification session.
    case verification(VerificationSession)
    /// A prompt for a mailed code.
    case code(CodeProgress)
    /// A prompt to answer a challenge.
    case deviceKey(ChallengeID)
    /// A prompt for the first code of a new OTP token.
    case otpRegistration(OTPProgress)
    /// A prompt for a code of the user's OTP token.
    case otp(attemptsLeft: Int)
    /// A prompt to approve a transaction on another device.
    case approval(ApprovalRequest)
    /// A prompt to wait.
    case wait(until: Instant)
}
