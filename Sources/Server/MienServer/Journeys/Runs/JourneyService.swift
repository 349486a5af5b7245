internal import Crypto
internal import Foundation
package import MienAPI
package import MienCore
internal import MienJourney
package import MienStore

/// Starts journeys and advances them with each response of the client.
///
/// A state token is valid for one response. Repeating the same response returns the same answer; a
/// different response with a used token is rejected. Of two concurrent responses, one advances the
/// run, and the other gets the same answer or is rejected.
package final class JourneyService: Sendable {
    private let store: Store
    private let catalog: JourneyCatalog
    private let apps: AppCatalog
    private let devices: KnownDeviceService
    private let performer: EffectPerformer
    private let runner: JourneyRunner
    private let grants: GrantService
    private let clock: ServerClock
    private let metrics: Metrics
    private let turns = KeyedLocks<InstanceID>()
    let recent = RecentRuns()

    package init(
        store: Store, catalog: JourneyCatalog, apps: AppCatalog, devices: KnownDeviceService,
        performer: EffectPerformer, grants: GrantService,
        clock: ServerClock, metrics: Metrics
    ) {
        (self.store, self.catalog, self.apps, self.devices, self.performer) = (
            store, catalog, apps, devices, performer
        )
        (self.grants, self.clock, self.metrics) = (grants, clock, metrics)
        runner = JourneyRunner(performer: performer, clock: clock)
    }

    // MARK: Start

    /// - Parameter caller: The user, if already signed in to this app.
    /// - Returns: A `JourneyAnswer` as JSON.
    func start(_ journey: String, _ request: StartJourneyRequest, caller: Caller?)
        async throws
        -> [UInt8]
    {
        let answer = try await store.assuming {
            try await startNow(journey, request, caller: caller)
        }
        if let answer { return answer }
        return try await startNow(journey, request, caller: caller)
    }

    private func startNow(_ journey: String, _ request: StartJourneyRequest, caller: Caller?)
        async throws
        -> [UInt8]
    {
        let app = try await apps.authenticated(id: request.clientID, secret: request.clientSecret)
        guard caller.map({ $0.app == app.id }) ?? true else {
            throw Problem(.invalidCredentials, "The access token belongs to another app.")
        }
        // Its tokens need the person's permission, for which the pages ask.
        guard app.registration == nil || app.isFirstParty else {
            throw Problem(
                .notPermitted,
                "An app that registered itself signs people in on the server's pages.")
        }
        guard let id = JourneyID(journey), app.settings.allows(id),
            let definition = try await catalog.published(id)
        else {
            throw Problem(
                .notFound,
                "This app has no journey “\(Self.shown(journey))”. Publish the journey and allow it in the app's settings."
            )
        }
        if let flowID = request.flowID, flowID.utf8.count > 256 {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "flow_id", message: "must have at most 256 bytes")])
        }
        if let organization = request.organization {
            guard app.settings.organizations.use != .off, organization.utf8.count <= 800 else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "organization",
                            message:
                                "needs an app with the setting organizations.use, and at most 800 bytes"
                        )
                    ])
            }
        }
        let device = try await request.deviceToken.asyncMap {
            try await self.devices.find($0, app: app.id)
        }
        return JSONBody.bytes(
            of: try await begin(
                definition, in: app, flowID: request.flowID,
                parameters: request.additionalParams ?? .null, device: device ?? nil,
                organization: request.organization, caller: caller))
    }

    /// Starts a journey on a page of this server, which acts for the app.
    ///
    /// - Parameters:
    ///   - device: The known device that the browser has proved to be, of any app.
    /// - Throws: ``Problem`` `.notFound` if the journey is not published or not allowed.
    package func start(
        _ id: JourneyID, in app: AppRecord, parameters: JSONValue = .null, device: KnownDevice?,
        caller: Caller? = nil
    ) async throws -> JourneyAnswer {
        guard app.settings.allows(id), let definition = try await catalog.published(id) else {
            throw Problem(
                .notFound, "The journey “\(id.text)” is not published, or the app may not start it."
            )
        }
        return try await begin(
            definition, in: app, flowID: nil, parameters: parameters, device: device,
            leavesOrganization: true, caller: caller)
    }

    /// A journey with which a signed-in person can prove again who they are.
    package struct SignInJourney: Sendable {
        package let id: JourneyID
        /// The ways to sign in that its steps ask for.
        package let asks: Set<AuthenticatorType>
        /// Whether it has a login form, on which a page can offer a passkey.
        package let hasLoginForm: Bool
    }

    /// Returns the published journeys of an app that only sign in: first that of its sign-in page,
    /// then the standard one, then the others by ID. Journeys that register or change something have
    /// effects that a person who confirms who they are does not expect.
    package func signInJourneys(of app: AppRecord) async throws -> [SignInJourney] {
        let own = [app.settings.pageJourney, AppSettings.standardSignInJourney].compactMap { $0 }
        let published = try await store.read { try $0.journeys.all() }.filter {
            $0.state == .published
        }.map(\.id)
        var found: [SignInJourney] = []
        for id in own + Set(published).subtracting(own).sorted(by: { $0.text < $1.text })
        where app.settings.allows(id) && !found.contains(where: { $0.id == id }) {
            guard let definition = try await catalog.published(id),
                own.contains(id) || definition.onlySignsIn
            else { continue }
            var asks = definition.authenticatorsAsked
            if definition.restoresByCode { asks.insert(.recoveryCode) }
            found.append(
                SignInJourney(id: id, asks: asks, hasLoginForm: definition.hasLoginForm))
        }
        return found
    }

    private func begin(
        _ definition: JourneyDefinition, in app: AppRecord, flowID: String?,
        parameters: JSONValue, device: KnownDevice?, organization: String? = nil,
        leavesOrganization: Bool = false, caller: Caller?
    ) async throws -> JourneyAnswer {
        let now = clock.now
        var generator = SystemRandomNumberGenerator()
        let runID = InstanceID.random(using: &generator)
        var state = RunState(
            instance: JourneyInstance(
                id: runID, of: definition, app: app.id,
                namesSearch: app.settings.duplicateFaces != nil,
                sharing: try await apps.sharing(of: app.id), at: now),
            flowID: flowID)
        (state.organization, state.leavesOrganization) = (organization, leavesOrganization)
        state.begun = caller.map {
            .init(grant: $0.grant.id, signedInAt: $0.grant.signedInAt, proofs: $0.grant.proofs)
        }
        state.device = device.map { ProvedDevice(id: $0.id, account: $0.account) }
        let (answer, secret) = try await advance(
            &state,
            .start(
                parameters: parameters,
                user: caller.map {
                    JourneyUser(id: $0.account.id, level: .authenticated, amr: $0.grant.methods)
                }), definition, app)
        let record = JourneyRunRecord(
            id: runID, app: app.id, journey: definition.id,
            tokenHash: store.keys.hash(ofSecret: secret), state: try Self.encoded(state),
            account: state.account, expiresAt: state.instance.expiresAt)
        try await store.insert(record)
        metrics.count(.journeysStarted)
        countEnd(answer)
        recent.keep(record, state)
        return answer
    }

    // MARK: Respond

    /// - Returns: A `JourneyAnswer` as JSON, byte for byte the same if the same response is
    ///   repeated.
    package func respond(_ request: RespondRequest) async throws -> [UInt8] {
        guard let (id, secret) = BearerSecret.parse(request.state, InstanceKind.self) else {
            throw Problem(
                .invalidState, "The state is malformed. Send the state from the last answer.")
        }
        let tokenHash = store.keys.hash(ofSecret: secret)
        let result = try await turns.withLock(id) {
            if let run = self.recent.find(id), isSame(run.record.tokenHash, tokenHash) {
                let answer = try await self.store.assuming(
                    .init(id, revision: run.record.revision)
                ) { try await self.goOn(run.record, run.state, with: request) }
                if let answer { return answer }
                // The cached run is outdated: use the stored one.
                self.recent.forget(id)
            }
            return try await self.respond(id, tokenHash, request)
        }
        guard let result else {
            throw Problem(.tooManyRequests, "Too many responses to this journey are in progress.")
        }
        return result
    }

    /// Gives up a run, as a rejection would: a sign-up in progress is deleted, and its names are free.
    ///
    /// - Parameter state: The state of the run's last answer; others change nothing.
    package func abandon(_ state: String) async throws {
        guard let (id, secret) = BearerSecret.parse(state, InstanceKind.self),
            let record = try await store.read({ try $0.runs.find(id) }),
            isSame(record.tokenHash, store.keys.hash(ofSecret: secret)),
            let signUp = try record.state.use({
                try JSONDecoder().decode(RunState.self, from: Data($0))
            }).signUp
        else { return }
        try await performer.signUps.abandon(signUp)
    }

    /// Responds based on the stored run.
    private func respond(_ id: InstanceID, _ tokenHash: [UInt8], _ request: RespondRequest)
        async throws -> [UInt8]
    {
        guard let record = try await store.read({ try $0.runs.find(id) }) else {
            throw Problem(.noActiveJourney)
        }
        if let used = record.used, isSame(used.tokenHash, tokenHash) {
            guard isSame(used.requestHash, hash(of: request)) else {
                throw Problem(
                    .invalidState,
                    "This state was already used with a different response. Continue with the state from its answer."
                )
            }
            return used.answer.use { $0 }
        }
        guard isSame(record.tokenHash, tokenHash) else { throw Problem(.invalidState) }
        let state = try record.state.use { try JSONDecoder().decode(RunState.self, from: Data($0)) }
        do { return try await goOn(record, state, with: request) } catch is Assumptions.Outdated {
            throw Problem(.invalidState, "Another response to this state came first.")
        }
    }

    /// - Throws: ``Problem``; `Assumptions.Outdated` if the stored run has changed since it was read, in
    ///   which case nothing was written.
    private func goOn(_ record: JourneyRunRecord, _ state: RunState, with request: RespondRequest)
        async throws -> [UInt8]
    {
        // A trial gives no token: only its administrator goes on with it.
        guard clock.now < record.expiresAt, state.trial == nil else {
            throw Problem(.noActiveJourney)
        }
        var (record, state) = (record, state)
        let definition = try await catalog.version(state.instance.journey, state.instance.version)
        let app = try await apps.find(record.app)
        guard try await runner.isCurrent(state) else { throw Problem(.noActiveJourney) }
        let (answer, nextSecret) = try await advance(
            &state, .response(option: request.option, data: request.data ?? .null), definition, app)
        let body = JSONBody.bytes(of: answer)
        record.used = .init(
            tokenHash: record.tokenHash, requestHash: hash(of: request), answer: Sensitive(body))
        record.tokenHash = store.keys.hash(ofSecret: nextSecret)
        record.state = try Self.encoded(state)
        record.account = state.account ?? record.account
        let (changed, revision) = (record, record.revision)
        do {
            try await store.write(.process) { try $0.runs.advance(changed, from: revision) }
        } catch let error as StoreError
            where error.code == .stale
        {
            throw Assumptions.Outdated()
        }
        record.revision += 1
        countEnd(answer)
        recent.keep(record, state)
        return body
    }

    /// Drops runs from the cache that have expired, whose rows the sweeper removes, and those of
    /// accounts and apps that were deleted, on any server.
    package func sweepRecent(at now: Instant) async throws {
        recent.sweep(at: now)
        let cached = recent.ids
        guard !cached.isEmpty else { return }
        let stored = try await store.read { try $0.runs.stored(among: cached) }
        for id in cached where !stored.contains(id) { recent.forget(id) }
    }

    // MARK: Advancing a run

    /// - Returns: The answer and the secret of its state token. After the run has ended, the answer
    ///   contains no state token.
    private func advance(
        _ state: inout RunState, _ event: JourneyEvent, _ definition: JourneyDefinition,
        _ app: AppRecord
    ) async throws -> (JourneyAnswer, secret: [UInt8]) {
        let decision = try await runner.advance(&state, event, definition, app)
        var generator = SystemRandomNumberGenerator()
        let token = BearerSecret(for: state.instance.id, using: &generator)
        let expiry = state.instance.expiresAt.milliseconds
        switch decision {
        case .perform: fatalError("the runner performs all effects")
        case .ask(let prompt):
            let options = Dictionary(
                prompt.options.map {
                    (
                        $0.id,
                        ClientOptionWire(
                            type: .known($0.kind), label: $0.label,
                            schema: $0.schema?.json)
                    )
                }
            ) { $1 }
            return (
                JourneyAnswer(
                    state: token.text.use { $0 },
                    journeyStepID: .init(rawValue: prompt.journeyStepID),
                    data: prompt.data,
                    errorData: prompt.failure.map { ["code": .string($0.rawValue)] },
                    clientResponseOptions: options, expiresAt: expiry), token.secret
            )
        case .complete(let completion):
            if completion.signedInUser != nil { try await store.confirmAssumptions() }
            try await confirmBeforeEnd(state)
            try await runner.closeApproval(of: state)
            if let signUp = state.signUp, try await !performer.signUps.complete(signUp, app: app.id)
            {
                return (Self.rejected(nil, expiry), token.secret)
            }
            return (try await completed(completion, state, app, expiry), token.secret)
        case .reject(let rejection):
            try await confirmBeforeEnd(state)
            try await runner.closeApproval(of: state)
            if let signUp = state.signUp { try await performer.signUps.abandon(signUp) }
            return (Self.rejected(rejection, expiry), token.secret)
        }
    }

    /// Counts the end of a run, once it is stored.
    private func countEnd(_ answer: JourneyAnswer) {
        guard answer.state == nil else { return }
        let isSuccess = answer.journeyStepID == .known(.success)
        metrics.count(.journeysEnded, ["end": isSuccess ? "success" : "rejection"])
    }

    /// Confirms the assumptions if ending the run changes anything besides the run.
    private func confirmBeforeEnd(_ state: RunState) async throws {
        if state.approval != nil || state.signUp != nil { try await store.confirmAssumptions() }
    }

    private func completed(
        _ completion: Completion, _ state: RunState, _ app: AppRecord, _ expiry: Int64
    ) async throws -> JourneyAnswer {
        let now = clock.now
        var generator = SystemRandomNumberGenerator()
        var claims: [String: JSONValue] = completion.claims
        claims["aud"] = .string(app.id.text)
        claims["exp"] = .number(Double(now.seconds + Int64(app.settings.tokenSeconds)))
        let tokenID = Base64URL.encode(generator.bytes(16))
        claims["jti"] = .string(tokenID)
        claims["journey"] = .string(state.instance.journey.text)
        if let flowID = state.flowID { claims["flow_id"] = .string(flowID) }
        if !completion.approvalData.isEmpty {
            claims["approval_data"] = .object(completion.approvalData.mapValues { .string($0) })
        }
        var deviceToken: String?
        if let user = completion.signedInUser {
            // The account may have been suspended, or its password changed, since the user signed
            // in.
            guard try await runner.isCurrent(state),
                let account = try await store.read({ try $0.accounts.find(user) })
            else {
                return Self.rejected(nil, expiry)
            }
            let chosen: OrganizationAccess?
            switch try await organization(of: state, user, app) {
            case .given(let access): chosen = access
            case .missing(let reason, let several):
                return Self.rejected(.rejected, reason, expiry, organizations: several)
            }
            if let chosen { claims.merge(chosen.claims) { $1 } }
            claims["sub"] = .string(user.text)
            claims["email_verified"] = Self.isVerified(claims["email"], account).map { .bool($0) }
            claims["amr"] = .array((completion.user?.amr ?? []).map { .string($0) })
            claims["acr"] = .string(
                completion.acr ?? AuthenticationContext.of(completion.user?.amr ?? []))
            // Whether an address of the journey's is verified goes with it.
            let own =
                completion.claims.keys.sorted()
                + (completion.claims["email"] == nil ? [] : ["email_verified"])
            let proof = completion.user?.proof
            claims["auth_time"] = .number(
                Double((proof?.at ?? state.begun?.signedInAt ?? now).seconds))
            if completion.user?.isRecovered == true { claims["recovered"] = true }
            if account.isTest { claims["test_account"] = true }
            if let begun = state.begun {
                // No new sign-in: the run's proof strengthens the existing one.
                claims["sid"] = .string(begun.grant.text)
                guard
                    try await stepUp(
                        begun, proof, isRecovery: completion.user?.isRecovered ?? false)
                else { return Self.rejected(nil, expiry) }
            } else if let proof, let epoch = proof.epoch {
                let content = JourneyTokenProof(
                    authenticators: proof.authenticators, epoch: epoch,
                    isRecovery: completion.user?.isRecovered ?? false,
                    organization: app.settings.organizations.use == .off
                        ? nil : chosen?.id.text ?? "", claims: own, app: app)
                claims["mien_proof"] = .string(try content.sealed(token: tokenID, keys: store.keys))
            }
            if state.begun == nil, state.device?.account != user {
                deviceToken = try await devices.make(
                    user, app.id, epoch: proof?.epoch, methods: state.methods(of: user), at: now)
            }
        }
        return JourneyAnswer(
            state: nil, journeyStepID: .known(.success),
            token: try grants.issuer.sign(claims, at: now), deviceToken: deviceToken,
            expiresAt: expiry)
    }

    /// Strengthens the sign-in that a run began with by the run's own proof.
    ///
    /// - Returns: `false` if that sign-in has ended.
    private func stepUp(_ begun: RunState.Begun, _ proof: JourneyUser.Proof?, isRecovery: Bool)
        async throws -> Bool
    {
        guard let proof, !proof.methods.isEmpty, let epoch = proof.epoch else { return true }
        let rule = performer.changes.rule, now = clock.now
        // Fresh earlier proofs add to the new one, the newest first. The combined proof is as old as
        // the oldest that added something.
        var methods = proof.methods, at = proof.at
        for earlier in begun.proofs.filter({ rule.isFresh($0, at: now) }).sorted(by: {
            $0.at > $1.at
        })
        where !Set(earlier.methods).isSubset(of: methods) {
            methods += earlier.methods.filter { !methods.contains($0) }
            at = min(at, earlier.at)
        }
        return try await grants.stepUp(
            begun.grant, SignInProof(methods: methods, at: at, isRecovery: isRecovery),
            with: proof.authenticators, epoch: epoch)
    }

    /// Whether the address in the token names the mailbox that the account has verified. The journey
    /// may have taken that address from a form. Without an address in the token: whether the account
    /// has a verified address.
    ///
    /// - Returns: `nil` if neither the token nor the account has an address.
    private static func isVerified(_ claim: JSONValue?, _ account: AccountRecord) -> Bool? {
        let (email, claimed) = account.profile.use { ($0.email, $0.claimedEmail) }
        guard let claim else { return email != nil ? true : claimed != nil ? false : nil }
        guard let text = claim.stringValue, let email else { return false }
        return Mailbox(text) == Mailbox(email)
    }

    private static func rejected(_ rejection: Rejection?, _ expiry: Int64) -> JourneyAnswer {
        rejected(
            rejection?.cause ?? .failed,
            rejection?.reason ?? StepErrorCode.invalidCredentials.rawValue, expiry)
    }

    /// - Parameter organizations: The organizations of a signed-in user who has to name one.
    private static func rejected(
        _ cause: Rejection.Cause, _ reason: String, _ expiry: Int64,
        organizations: [OrganizationAccess] = []
    ) -> JourneyAnswer {
        var data: [String: JSONValue] = [
            "cause": .string(cause.rawValue), "reason": .string(reason),
        ]
        if !organizations.isEmpty {
            data["organizations"] = .array(
                organizations.map { ["id": .string($0.id.text), "name": .string($0.name)] })
        }
        return JourneyAnswer(
            state: nil, journeyStepID: .known(.rejection), errorData: .object(data),
            expiresAt: expiry)
    }

    // MARK: Organizations

    /// The organization of a completed run, or why the app gets no token.
    private enum Organization {
        case given(OrganizationAccess?)
        case missing(reason: String, several: [OrganizationAccess])
    }

    /// Chooses the organization of a run that signed a user in. The user is known now, so a refusal
    /// may say why.
    private func organization(of state: RunState, _ user: UserID, _ app: AppRecord) async throws
        -> Organization
    {
        guard app.settings.organizations.use != .off, !state.leavesOrganization else {
            return .given(nil)
        }
        let wish = OrganizationWish(state.organization), begun = state.begun?.grant
        let choice = try await store.read { tables -> OrganizationChoice in
            // A run of somebody who is signed in stays with the organization of that sign-in.
            if let begun, let grant = try tables.grants.find(begun) {
                guard let id = grant.organization else {
                    return app.settings.organizations.use == .require
                        ? .refused(.noOrganization) : .none
                }
                return try tables.access(of: user, in: app, through: id).map { .chosen($0) }
                    ?? .refused(.notMember)
            }
            return try tables.chooseOrganization(of: user, in: app, wish)
        }
        switch choice {
        case .chosen(let access): return .given(access)
        case .none: return .given(nil)
        case .several(let all): return .missing(reason: "organization_required", several: all)
        case .refused(let refusal): return .missing(reason: refusal.rawValue, several: [])
        }
    }

    // MARK: Helpers

    private static func encoded(_ state: RunState) throws -> Sensitive<[UInt8]> {
        Sensitive(try JSONText.encode(state))
    }

    /// Returns a keyed hash of the response, because the response may contain a password.
    private func hash(of request: RespondRequest) -> [UInt8] {
        store.keys.hash(
            ofSecret: Array(
                JSONText.write(["option": .string(request.option), "data": request.data ?? .null])
                    .utf8))
    }

    private static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(64))).filter { !$0.isNewline }
    }
}

extension Store {
    /// - Throws: ``Problem`` `.noActiveJourney` if the run's account was deleted meanwhile.
    func insert(_ run: JourneyRunRecord) async throws {
        do { try await write(.process) { try $0.runs.insert(run) } } catch let error as StoreError
            where error.code == .stale
        {
            throw Problem(.noActiveJourney)
        }
    }
}
