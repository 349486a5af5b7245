public import MienFace

extension VerificationSettings {
    /// Settings for a live source: random actions, with one minute for all of them.
    public static let live = try! VerificationSettings(mode: .livenessActive, timeout: .seconds(60))
    /// Settings for photos: accepts the first photo of sufficient quality.
    public static let photo = try! VerificationSettings(mode: .image)
}

extension EnrollmentSettings {
    /// Settings for a live source: random actions, then four frames, in one minute.
    public static let live = try! EnrollmentSettings(mode: .livenessActive, timeout: .seconds(60))
    /// Settings for photos: accepts one photo of sufficient quality, at once.
    public static let photo = try! EnrollmentSettings(
        mode: .image, countdownToCapture: .zero, framesToEnroll: 1)
}
