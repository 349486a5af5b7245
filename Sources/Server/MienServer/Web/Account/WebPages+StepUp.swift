internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The proof that a flow needs before the change that the person began is allowed.
struct StepUp: Codable, Sendable {
    /// The assurance that the change requires; `none` if any recent sign-in will do.
    let needed: AssuranceLevel
    /// The methods that counted when the current run began.
    var proved: Set<String>
    /// The ways that the current run offers.
    var ways: [AuthenticatorType]
}

/// How a person can prove on these pages what a change requires.
struct StepUpPlan: Sendable {
    /// The combinations of ways that lead there; empty if none does.
    let combinations: [[AuthenticatorType]]
    /// The ways that count already.
    let done: [AuthenticatorType]
    /// The next run of a journey, and the ways that it offers.
    let next: (journey: JourneyID, ways: [AuthenticatorType])?
    /// The journey that takes one of the account's recovery codes, if there is one.
    let recovery: JourneyID?
    /// Whether a key on a device would be enough, which only an app can ask for.
    let hasDeviceKey: Bool
}

/// Step-ups: a signed-in person proves what is missing for a change, in one flow.
///
/// The flow runs sign-in journeys for the sign-in behind the account pages until their proofs add
/// up. What the browser's session proves to apps stays what it was, so that another app, which may
/// require a certain journey, does not take one of these runs for its own.
extension WebPages {
    func plan(
        _ needed: AssuranceLevel, beside proved: Set<String>, of account: AccountRecord,
        in app: AppRecord
    ) async throws -> StepUpPlan {
        let journeys = try await journeys.signInJourneys(of: app)
        var all = try await changes.ways(of: account, app: app.id)
        if account.profile.use({ $0.email != nil }), !all.contains(where: { $0.type == .emailCode })
        {
            all.append(SignInWay(.emailCode, methods: []))
        }
        func offered(by journey: JourneyService.SignInJourney) -> Set<AuthenticatorType> {
            passkeys.areOffered && journey.hasLoginForm
                ? journey.asks.union([.passkey]) : journey.asks.subtracting([.passkey])
        }
        // A device key needs an app, and a recovery code makes the other ways unnecessary.
        let usable = all.filter { way in
            ![.nativeBiometrics, .recoveryCode].contains(way.type)
                && journeys.contains { offered(by: $0).contains(way.type) }
        }
        let combinations = SignInWay.combinations(of: usable, beside: proved, reaching: needed)
        let useful = Set(combinations.joined().map(\.type))
        // Choose the first of the journeys that offer the largest number of useful ways.
        let most = journeys.map { offered(by: $0).intersection(useful).count }.max() ?? 0
        let next = journeys.first {
            most > 0 && offered(by: $0).intersection(useful).count == most
        }
        let hasCodes = all.contains { $0.type == .recoveryCode }
        return StepUpPlan(
            combinations: combinations.map { $0.map(\.type) },
            done: usable.filter { !$0.methods.isEmpty && $0.methods.isSubset(of: proved) }
                .map(\.type),
            next: next.map { journey in
                let ways = offered(by: journey).intersection(useful)
                return (journey.id, ways.sorted { $0.rawValue < $1.rawValue })
            },
            recovery: hasCodes ? journeys.first { $0.asks.contains(.recoveryCode) }?.id : nil,
            hasDeviceKey: all.contains { $0.type == .nativeBiometrics && !$0.methods.isEmpty })
    }

    /// Begins a step-up and returns the address of its first page.
    func beginStepUp(
        _ needed: AssuranceLevel, beside proved: Set<String>, journey: JourneyID,
        ways: [AuthenticatorType], to path: String, of name: String?, for grant: GrantID,
        in app: AppRecord, _ request: Request
    ) async throws -> String {
        try await begin(
            .page(path: localPath(path)), in: app, journey: journey, hint: name, for: grant,
            stepUp: StepUp(needed: needed, proved: proved, ways: ways), request,
            sessions.browser(request))
    }

    /// Goes on after a run: to the change if it is allowed now, or to what is still missing.
    func goOn(
        _ stepUp: StepUp, _ held: SignInFlows.Held, for grant: GrantID, _ app: AppRecord,
        _ request: Request, cookies: [String]
    ) async throws -> Response {
        var held = held, stepUp = stepUp
        let address = "/signin/\(held.id)"
        let caller = try await PageSignIn(grant: grant, app: app.id).run {
            try await grants.caller(of: request, needed: .signIn)
        }
        guard let proved = try await changes.missing(stepUp.needed, of: caller) else {
            try await flows.end(held.id)
            guard case .page(let path) = held.flow.goal else { return redirect("/account") }
            return redirect(path, cookies: cookies)
        }
        let plan = try await plan(stepUp.needed, beside: proved, of: caller.account, in: app)
        // If the last run proved nothing new, another one would not either, so stop asking.
        guard proved != stepUp.proved, let next = plan.next else {
            held.flow.stage = .ended("stepup_ended_text")
            return try await keep(held, redirect(address, cookies: cookies), address)
        }
        (stepUp.proved, stepUp.ways) = (proved, next.ways)
        (held.flow.stepUp, held.flow.journey, held.flow.branch) = (stepUp, next.journey, nil)
        held.flow.stage = try await firstStage(of: held.flow, app, request)
        return try await keep(held, redirect(address, cookies: cookies), address)
    }
}

extension PageTexts {
    /// Names a way to sign in, as a part of a sentence.
    func way(_ type: AuthenticatorType) -> String { self("stepup_way_\(type.rawValue)") }

    /// Names combinations of ways: "your passkey, or your password and your face".
    func ways(_ combinations: [[AuthenticatorType]]) -> String {
        func joined(_ parts: [String], _ key: String) -> String {
            parts.dropFirst().reduce(parts.first ?? "") { self(key, ["a": $0, "b": $1]) }
        }
        return joined(
            combinations.map { joined($0.map(way), "list_and") },
            combinations.contains { $0.count > 1 } ? "list_or_long" : "list_or")
    }
}
