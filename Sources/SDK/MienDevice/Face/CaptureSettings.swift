public import MienFace

extension VerificationSettings {
    /// For a live source: drawn actions, a minute for all of them.
    public static let live = try! VerificationSettings(mode: .livenessActive, timeout: .seconds(60))
    /// For photos: the first that is good enough.
    public static let photo = try! VerificationSettings(mode: .image)
}

extension EnrollmentSettings {
    /// For a live source: drawn actions, then four frames; a minute for all of it.
    public static let live = try! EnrollmentSettings(mode: .livenessActive, timeout: .seconds(60))
    /// For photos: one that is good enough, at once.
    public static let photo = try! EnrollmentSettings(
        mode: .image, countdownToCapture: .zero, framesToEnroll: 1)
}
