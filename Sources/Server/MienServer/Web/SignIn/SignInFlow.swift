internal import MienAPI
internal import MienCore

/// A sign-in in progress in one browser: what it is for, and where it is.
struct SignInFlow: Codable, Sendable {
    /// The goal of a sign-in: where it leads.
    enum Goal: Codable, Sendable {
        /// An app gets a code. Holds its request.
        case authorize(AuthorizationParameters)
        /// The browser goes on to a page of this server.
        case page(path: String)
    }

    enum Stage: Codable, Sendable {
        /// The person chooses among the accounts that the browser remembers.
        case choosing
        /// A step of the journey waits for an answer.
        case step(JourneyAnswer)
        /// The person signed in, and a third-party app asks for permission.
        case permission(PageProof)
        /// The person signed in, and chooses an organization.
        case organization(PageProof)
        /// The journey rejected the person, or it expired. Holds the text's key.
        case ended(String)
    }

    let app: AppID
    let goal: Goal
    var journey: JourneyID
    /// Identifies the browser that began it.
    let browser: String
    /// The grant of the signed-in user for whom the journey runs; `nil` if it signs somebody in.
    var grant: GrantID?
    /// The proof that a change requires; `nil` for other sign-ins.
    var stepUp: StepUp?
    /// The name to begin with.
    var hint: String?
    /// Whether the person wants to be offered by name next time.
    var remembers = false
    var stage: Stage
    /// Counts answers, so that a page from the browser's history does not answer a later step.
    var turn = 0
    /// Whether the last answer was refused: the key of its text.
    var complaint: String?
    /// The fields of the last answer that were refused.
    var faults: [String] = []
    /// The text that was entered into fields without secrets, by name, so that nobody types it twice.
    var typed: [String: String]?
    /// Whether the last answer ended a capture.
    var wasCapture: Bool?
    /// The branch of a login form that is shown.
    var branch: String?
}
