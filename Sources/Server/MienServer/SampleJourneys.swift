internal import MienCore

/// The journeys of a new server, from Examples/Journeys.
enum SampleJourneys {
    static let all = [
        passwordLogin, faceLogin, faceRegistration, signUp, recoveryEmail, recoveryCode,
        passwordReset, changePassword,
    ]

    static let passwordLogin = EmbeddedFiles.passwordLogin
    static let faceLogin = EmbeddedFiles.faceLogin
    static let faceRegistration = EmbeddedFiles.faceRegistration
    static let signUp = EmbeddedFiles.signUp
    static let recoveryEmail = EmbeddedFiles.recoveryEmail
    static let recoveryCode = EmbeddedFiles.recoveryCode
    static let passwordReset = EmbeddedFiles.passwordReset
    static let changePassword = EmbeddedFiles.changePassword

    /// The journey with which anyone can create an account.
    static let signUpID = JourneyID("sign-up")!
}
