import MienCore

/// Ends the journey successfully.
struct CompleteJourney: JourneyStep {
    enum UserState: String, CaseIterable, Sendable { case authenticated, established, none }

    static let settings = [
        Setting(
            "user_auth_state", .choice(UserState.allCases.map(\.rawValue)),
            default: "authenticated",
            "The required state of the user: signed in, identity established, or none. A lower state ends the journey with a rejection."
        ),
        Setting(
            "claims", .expressions(maxCount: 50),
            "Additional claims of the token, and of the tokens of a sign-in on the page: names and expressions."
        ),
        Setting("acr", .text(maxLength: 200), "The authentication context class of the token."),
    ]

    /// Claims that the token itself defines.
    static let reservedClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "amr", "acr", "auth_time", "azp", "nonce",
        "cnf", "client_id", "scope", "journey",
        "approval_data", "recovered", "mien_proof", "org_id", "org_name", "org_roles",
        "test_account",
    ]

    let userState: UserState
    let claims: [String: JourneyExpression]
    let acr: String?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        userState = try reader.choice("user_auth_state", default: .authenticated)
        claims = try reader.expressions("claims", maxCount: 50) ?? [:]
        acr = try reader.string("acr", maxLength: 200)
        if let own = claims.keys.filter(Self.reservedClaims.contains).min() {
            throw reader.error("claims.\(own)", "“\(own)” is a reserved claim")
        }
    }

    private var needed: JourneyUser.Level? {
        switch userState {
        case .authenticated: .authenticated
        case .established: .established
        case .none: nil
        }
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.end = .complete
        facts.needsUser = needed
        facts.levelSetting = "user_auth_state"
        facts.reads = claims.sorted { $0.key < $1.key }.map {
            StepFacts.Read("claims.\($0.key)", $0.value)
        }
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        if let needed {
            guard let user = run.instance.user, user.level >= needed else {
                throw StepFault(.userMissing)
            }
        }
        return .complete(
            Completion(
                user: run.instance.user, claims: try run.values(claims), acr: acr,
                approvalData: run.instance.approvalData))
    }
}

/// Ends the journey with a rejection.
struct RejectAccess: JourneyStep {
    static let settings = [
        Setting(
            "reason", .code, default: "access_denied", "The rejection's reason, sent to the client."
        )
    ]

    let reason: String

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        reason = try reader.code("reason") ?? "access_denied"
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.end = .reject
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move { .reject(reason: reason) }
}
