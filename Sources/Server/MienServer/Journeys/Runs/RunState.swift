internal import MienAPI
internal import MienCore
internal import MienJourney

/// A stored run of a journey: the engine's value and the server's additions.
struct RunState: Codable, Sendable {
    var instance: JourneyInstance
    /// An opaque value chosen by the client.
    var flowID: String?
    /// The known device that the client has proved to be, and its account.
    var device: ProvedDevice?
    /// The sign-in that the run began with, if any.
    var begun: Begun?
    /// The account that this run is signing up.
    var signUp: UserID?
    /// The methods that have succeeded in this run, and for which account.
    var successes: Set<Success> = []
    /// The request for approval that the run opened last.
    var approval: ChallengeID?
    /// The organization that the client asked for.
    var organization: String?
    /// Whether the page that runs the journey chooses the organization.
    var leavesOrganization = false

    /// Set for a run that an administrator tries: see ``JourneyTrials``.
    var trial: Trial?

    struct Trial: Codable, Sendable {
        let admin: AdminID
        /// The SHA-256 of the version's text when the trial began.
        let definition: [UInt8]
        var turns: [TrialTurnAnswer] = []
    }

    struct Success: Codable, Sendable, Hashable {
        let account: UserID
        let method: AuthenticatorType
    }

    struct Begun: Codable, Sendable {
        let grant: GrantID
        let signedInAt: Instant
        /// The proofs of that sign-in, with their times.
        let proofs: [SignInProof]
    }
}

extension RunState {
    /// The account that the run is about and ends with: that of a user who has proved to have it.
    ///
    /// Naming an account is not enough. A run that ended with somebody else's account would tell a
    /// stranger who guessed the name that it existed. Nor is signing up enough: only a sign-up with a
    /// free name makes an account, so its end would tell that the name was free.
    var account: UserID? {
        guard let user = instance.user, user.id != signUp,
            user.level > .identified || device?.account == user.id
        else { return nil }
        return user.id
    }

    /// Records the method that has succeeded, the account that is signed up, or the request for
    /// approval that was opened.
    mutating func note(_ answer: EffectAnswer, to work: StepEffect) {
        switch (answer, work.impact) {
        case (.approvalOpened(let id, _, _), _): approval = id
        case (.userCreated(let user), _): signUp = user
        case (.proof(let proof), .verifies(let method)):
            successes.insert(Success(account: proof.user, method: method))
        default: break
        }
    }

    /// Returns the methods that have succeeded for this user in this run.
    func methods(of user: UserID) -> Set<AuthenticatorType> {
        Set(successes.filter { $0.account == user }.map(\.method))
    }
}
