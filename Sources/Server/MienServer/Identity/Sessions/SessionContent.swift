internal import Foundation
internal import MienCore
internal import MienIdentity

/// The facts of a verification session besides its state. Sealed under the session's key.
struct SessionContent: Codable, Sendable, CustomReflectable {
    /// Where the hosted page returns to, and the parameter that it brings back.
    var callbackURL, state: String?
    /// The start token of a user's session, for another link once the first was used.
    var startToken: String?
    /// The code of the link to a user's session that was given out last.
    var linkCode: String?
    /// The purpose of a comparison with an app's picture.
    var useCase: String?
    /// The end of a session that nothing judges, where the simulator is a source.
    var mock: IdentityRecommendation?
    /// The account's epoch in which a user's session began.
    var epoch: Int?
    /// The user whose case opens if a run's session is to be reviewed.
    var reviewed: UserID?
    /// The capture that takes the selfie.
    var capture: CaptureID?
    /// Its start token, if it was opened together with the session.
    var captureToken: String?
    /// The personal data read from the document, by the names of the API.
    var document: JSONValue?

    var sealed: Sensitive<[UInt8]> { Sensitive([UInt8](try! JSONEncoder().encode(self))) }

    init() {}

    /// - Returns: `nil` once erased.
    init?(_ content: Sensitive<[UInt8]>?) {
        guard let read = content?.use({ try? JSONDecoder().decode(Self.self, from: Data($0)) })
        else { return nil }
        self = read
    }

    var customMirror: Mirror { Mirror(self, children: [:]) }
}
