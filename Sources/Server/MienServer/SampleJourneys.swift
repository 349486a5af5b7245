internal import MienCore

/// The journeys of a new server, from Examples/Journeys.
enum SampleJourneys {
    static let all = [
        passwordLogin, faceLogin, faceRegistration, signUp, recoveryEmail, recoveryCode,
        passwordReset, changePassword, signIn, addFace, registerDevice, deviceLogin,
        documentRegistration,
    ]

    static let passwordLogin = EmbeddedFiles.passwordLogin
    static let faceLogin = EmbeddedFiles.faceLogin
    static let faceRegistration = EmbeddedFiles.faceRegistration
    static let signUp = EmbeddedFiles.signUp
    static let recoveryEmail = EmbeddedFiles.recoveryEmail
    static let recoveryCode = EmbeddedFiles.recoveryCode
    static let passwordReset = EmbeddedFiles.passwordReset
    static let changePassword = EmbeddedFiles.changePassword

    static let registerDevice = EmbeddedFiles.registerDevice
    static let deviceLogin = EmbeddedFiles.deviceLogin
    static let documentRegistration = EmbeddedFiles.documentRegistration

    static let signIn = EmbeddedFiles.signIn
    static let addFace = EmbeddedFiles.addFace

    /// Journeys that the server's own pages run. A server that was installed before it had pages
    /// gets them when it starts.
    static let ofPages = [signIn, addFace]

    /// Journeys that an operator publishes: they need an app with keys of its own, or a server that
    /// checks documents.
    static let drafts: Set = [
        JourneyID("register-device")!, JourneyID("device-login")!,
        JourneyID("document-registration")!,
    ]

    /// The journey with which anyone can create an account.
    static let signUpID = JourneyID("sign-up")!
}
