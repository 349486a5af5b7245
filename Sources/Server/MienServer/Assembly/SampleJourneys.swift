internal import MienCore

/// The journeys of a new server, from Examples/Journeys.
enum SampleJourneys {
    static let all = [
        passwordLogin, faceLogin, faceRegistration, signUp, recoveryEmail, recoveryCode,
        passwordReset, changePassword, signIn, addFace, registerDevice, deviceLogin,
        documentRegistration,
    ]

    static let passwordLogin = AssemblyFiles.passwordLogin
    static let faceLogin = AssemblyFiles.faceLogin
    static let faceRegistration = AssemblyFiles.faceRegistration
    static let signUp = AssemblyFiles.signUp
    static let recoveryEmail = AssemblyFiles.recoveryEmail
    static let recoveryCode = AssemblyFiles.recoveryCode
    static let passwordReset = AssemblyFiles.passwordReset
    static let changePassword = AssemblyFiles.changePassword

    static let registerDevice = AssemblyFiles.registerDevice
    static let deviceLogin = AssemblyFiles.deviceLogin
    static let documentRegistration = AssemblyFiles.documentRegistration

    static let signIn = AssemblyFiles.signIn
    static let addFace = AssemblyFiles.addFace

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
