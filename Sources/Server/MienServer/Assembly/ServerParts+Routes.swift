internal import Foundation
internal import Hummingbird
internal import Logging
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routers of a server's listeners.
extension ServerParts {
    /// Routes for apps, browsers, and load balancers: everything except the admin API and metrics.
    func publicRouter() -> Router<MienRequestContext> {
        let router = baseRouter(
            "requests", trustsProxy: configuration.trustsProxy,
            CrossOriginMiddleware { [apps] in try await apps.isListed(origin: $0, of: $1) })
        router.add(
            middleware: AppRefusalMiddleware(
                refusals: AppRefusals(store: store, clock: clock), metrics: metrics))
        OperationRoutes(store: store, registry: registry, issuer: issuer, clock: clock).add(
            to: router)
        let live = configuration.liveCapturesPerMinute
        let body = JSONBody(maxBytes: configuration.bodyBytes, budget: bodies)
        JourneyRoutes(
            journeys: journeys, grants: grants,
            starts: starts, clock: clock, body: body
        ).add(to: router.group("v1"))
        captureRoutes(
            body,
            starts: RateLimiter("live-starts", .init(burst: live, perMinute: live), store: store)
        ).add(to: router.group("v1"))
        VerificationRoutes(
            sessions: verifications, body: body, budget: bodies,
            authentication: VerificationAuthentication { [publicURL] in publicURL.text }
        ).add(to: router.group("v1"))
        RelyingPartyRoutes(
            sessions: verifications, grants: grants, evidenceKey: evidenceKey, body: body,
            budget: bodies
        ).add(to: router.group("verify/api/v1"))
        OAuthRoutes(
            store: store, clients: clients, grants: grants,
            authorization: authorization, pages: pages, biometrics: biometrics,
            challenges: challenges, starts: starts, clock: clock,
            bodyBytes: configuration.bodyBytes, budget: bodies,
            takesRegistrations: configuration.takesAppRegistrations,
            publicURL: { [publicURL] in publicURL.text }
        ).add(to: router)
        registrationRoutes(body).add(to: router)
        EndSession(
            store: store, grants: grants, pages: pages, bodyBytes: configuration.bodyBytes,
            budget: bodies
        ).add(to: router)
        addOwnRoutes(to: router, body)
        let inner = Router(context: MienRequestContext.self)
        addOwnRoutes(to: inner, body)
        pages.add(to: router, api: InternalAPI(inner))
        addOrganizations(to: router, body)
        NoticeRoutes(
            links: MailedLinkService(store: store, clock: clock), pages: pages,
            attempts: RateLimiter("notices", .init(burst: 120, perMinute: 60), store: store),
            clock: clock,
            budget: bodies
        ).add(to: router)
        SCIMRoutes(
            tokens: SCIMTokens(store: store, clock: clock),
            users: SCIMUsers(store: store, clock: clock),
            groups: SCIMGroups(store: store, clock: clock), budget: bodies,
            publicURL: { [publicURL] in publicURL.text }
        ).add(to: router.group("scim/v2"))
        let guesses = configuration.guessesPerMinute
        OTPApprovalRoutes(
            tokens: tokens, metrics: metrics,
            guesses: RateLimit(
                "otp-approvals", .init(burst: guesses, perMinute: guesses), store: store,
                clock: clock), body: body
        ).add(to: router.group("v1"))
        OTPVerificationRoutes(
            apps: apps, tokens: tokens, metrics: metrics,
            guesses: RateLimit(
                "otp-guesses", .init(burst: guesses, perMinute: guesses), store: store,
                clock: clock), body: body
        ).add(to: router.group("v1"))
        licenseRoutes(body).add(to: router.group("v1"))
        router.add(middleware: PreflightMiddleware(table: RouteTable(router.routes)))
        return Self.withMethods(router)
    }

    /// The pages at `/organization` and their routes.
    private func addOrganizations(to router: Router<MienRequestContext>, _ body: JSONBody) {
        OrganizationRoutes(
            members: members,
            sessions: OrganizationSessions(
                find: { [pages] request in
                    try await pages.user(of: request).map {
                        OrganizationCaller(
                            account: $0.account, signedInAt: $0.signedInAt, standing: $0.standing)
                    }
                }, end: { [pages] in try await pages.endSession($0) }), body: body
        ).add(to: router.group("organization/api/v1"))
        OrganizationPages(
            isSignedIn: { [pages] in try await pages.user(of: $0) != nil },
            signIn: { [pages] in try await pages.signIn($0, $1, to: $2) }
        ).add(to: router)
    }

    /// The routes about a signed-in user's own account, for apps and for the account pages.
    private func addOwnRoutes(to router: Router<MienRequestContext>, _ body: JSONBody) {
        OwnAccountRoutes(
            grants: grants, changes: changes,
            own: OwnAccountService(store: store, notices: notices, clock: clock), body: body
        ).add(to: router.group("v1"))
        OwnFaceRoutes(
            store: store, grants: grants, changes: changes, others: identityConsents
        ).add(to: router.group("v1"))
        DeviceKeyRoutes(
            grants: grants, keys: biometrics.keys, changes: changes, body: body,
            listsKeys: configuration.listsDeviceKeys
        ).add(
            to: router.group("v1"))
        PasskeyRoutes(
            apps: apps, grants: grants, passkeys: passkeys, changes: changes, devices: devices,
            clock: clock, body: body
        ).add(
            to: router.group("v1"))
        OTPRoutes(grants: grants, tokens: tokens, changes: changes, body: body).add(
            to: router.group("v1"))
        IdentityRoutes(
            identities: identities, sessions: verifications, grants: grants, changes: changes,
            body: body, budget: bodies
        ).add(to: router.group("v1"))
        RecoveryRoutes(
            apps: apps, grants: grants, changes: changes, codes: recoveryCodes,
            recoveries: recoveries, body: body
        ).add(
            to: router.group("v1"))
        OwnPasswordRoutes(
            grants: grants, changes: changes, check: passwordCheck, accounts: accounts,
            devices: devices, body: body
        ).add(to: router.group("v1"))
    }

    private func captureRoutes(_ body: JSONBody, starts: RateLimiter, passesOn: Bool = true)
        -> CaptureRoutes
    {
        CaptureRoutes(
            captures: captures, liveStarts: starts, clock: clock,
            frameBytes: configuration.captureBytes, budget: bodies, body: body,
            authentication: CaptureAuthentication { [publicURL] in publicURL.text },
            passesOn: passesOn)
    }

    /// Routes for other servers at `cluster.listen`: requests about live captures, and searches of
    /// faces in memory. The server that a client reached has applied the limits.
    func clusterRouter() -> Router<MienRequestContext> {
        let router = Router(context: MienRequestContext.self)
        router.add(middleware: ProblemMiddleware(metrics: metrics))
        router.add(middleware: ClientMiddleware(trustsProxy: true, isServer: true))
        if configuration.auditsClients { router.add(middleware: AuditClientMiddleware()) }
        captureRoutes(
            JSONBody(maxBytes: configuration.bodyBytes, budget: bodies),
            starts: RateLimiter(.init(burst: 1_000_000, perMinute: 1_000_000)), passesOn: false
        ).add(to: router.group("v1"))
        GalleryRoutes(worker: galleries.worker, budget: bodies).add(to: router.group("v1"))
        return Self.withMethods(router)
    }

    /// Routes for administrators and monitoring at `admin.listen`: the admin API and metrics.
    func adminRouter() -> Router<MienRequestContext> {
        let router = baseRouter(
            "admin-requests", trustsProxy: configuration.adminTrustsProxy,
            hosts: HostMiddleware(names: configuration.adminHosts))
        OperationRoutes(store: store, registry: registry, issuer: issuer, clock: clock).addMetrics(
            to: router, gauges: gauges)
        AdminPortal().add(to: router)
        let body = JSONBody(maxBytes: configuration.bodyBytes, budget: bodies)
        AdministratorSignInRoutes(signIns: administrators, body: body).add(
            to: router.group("v1"))
        let admin = router.group("v1").add(
            middleware: AdminOnly(
                store: store, cookies: administrators.cookies,
                guesses: RateLimiter(
                    "admin-guesses", .init(burst: 10, perMinute: 10), store: store),
                clock: clock))
        let records = AdminRecords(store: store)
        AppAdminRoutes(
            store: store, apps: apps, records: records, clock: clock, body: body,
            mayCall: { [webhooks] in webhooks.mayCall($0) },
            prepareKey: { [issuer, clock] in try await issuer.prepare($0, at: clock.now) }
        ).add(to: admin)
        registrationRoutes(body).addAdmin(to: admin)
        AdministratorRoutes(store: store, clock: clock, body: body).add(to: admin)
        AdministratorOfferRoutes(signIns: administrators, body: body).add(to: admin)
        OwnMethodRoutes(signIns: administrators, body: body).add(to: admin)
        UserAdminRoutes(
            store: store, accounts: accounts, records: records, body: body, clock: clock
        ).add(to: admin)
        UserImportRoutes(
            people: UserImport(store: store, authenticators: .otp, clock: clock),
            pace: passwordCheck.pace, budget: bodies
        ).add(to: admin)
        OrganizationAdminRoutes(
            organizations: OrganizationService(store: store, clock: clock), members: members,
            records: records, body: body
        ).add(to: admin)
        SCIMTokenRoutes(tokens: SCIMTokens(store: store, clock: clock), body: body).add(to: admin)
        ConfigurationRoutes(
            configuration: configuration,
            guide: AppSettingsGuide(
                faceThreshold: configuration.faceThreshold, liveness: configuration.liveness),
            pages: pageDefaults, registry: registry, gauges: gauges
        ).add(to: admin)
        PageSettingsRoutes(defaults: pageDefaults, clock: clock, body: body).add(to: admin)
        JourneyTrialRoutes(trials: trials, clock: clock, body: body).add(to: admin)
        ConnectionTestRoutes(
            store: store, identities: identities, caller: webhooks, mail: mail,
            records: records,
            logoutToken: { [backChannel] in try await backChannel.testToken(for: $0) },
            clock: clock,
            body: body
        ).add(to: admin)
        AuthenticatorAdminRoutes(store: store, apps: apps, records: records, clock: clock).add(
            to: admin)
        OTPAdminRoutes(tokens: tokens, records: records, body: body).add(to: admin)
        FaceAdminRoutes(
            migration: migration,
            duplicates: DuplicateReviews(store: store, clock: clock, metrics: metrics), body: body
        ).add(to: admin)
        FaceGroupRoutes(
            groups: FaceGroups(store: store, apps: apps, clock: clock), store: store, body: body
        ).add(to: admin)
        ConsentAdminRoutes(
            store: store, records: records, clock: clock, others: identityConsents
        ).add(to: admin)
        IdentityAdminRoutes(
            identities: identities, sessions: verifications,
            registry: RegistryService(store: store, clock: clock),
            evidenceKey: evidenceKey, records: records, body: body, budget: bodies
        ).add(to: admin)
        JourneyAdminRoutes(
            store: store, catalog: catalog, checksDocuments: identities.checksDocuments,
            mayCall: { [webhooks] in webhooks.mayCall($0) }, clock: clock, body: body
        ).add(to: admin)
        JourneyEditorRoutes(
            checksDocuments: identities.checksDocuments, budget: bodies,
            limits: .server(waitSeconds: configuration.queueWaitSeconds)
        ).add(to: admin)
        AuditRoutes(store: store, clock: clock, body: body).add(to: admin)
        MasterKeyRoutes(rotation: masterKeys).add(to: admin)
        licenseRoutes(body).addAdmin(to: admin)
        return Self.withMethods(router)
    }

    /// The middleware that both listeners share. Each listener limits an address's requests
    /// separately.
    ///
    /// - Parameters:
    ///   - limit: The name of the limit on an address's requests.
    ///   - trustsProxy: Whether clients' addresses come from a proxy.
    ///   - crossOrigin: Lets pages of other origins read responses, on the public listener.
    ///   - hosts: Refuses other names than the listener's own, on the admin listener.
    private func baseRouter(
        _ limit: String, trustsProxy: Bool, _ crossOrigin: CrossOriginMiddleware? = nil,
        hosts: HostMiddleware? = nil
    ) -> Router<MienRequestContext> {
        let router = Router(context: MienRequestContext.self, options: .autoGenerateHeadEndpoints)
        let requests = configuration.requestsPerMinute
        router.add(middleware: BrowserDefense { [publicURL] in publicURL.text })
        if let crossOrigin { router.add(middleware: crossOrigin) }
        router.add(middleware: ProblemMiddleware(metrics: metrics))
        router.add(middleware: SCIMErrorMiddleware())
        if let hosts { router.add(middleware: hosts) }
        router.add(middleware: ClientMiddleware(trustsProxy: trustsProxy))
        if configuration.auditsClients { router.add(middleware: AuditClientMiddleware()) }
        router.add(
            middleware: RateLimitMiddleware(
                limiter: RateLimiter(
                    limit, .init(burst: requests, perMinute: requests), store: store),
                clock: clock))
        router.add(middleware: QueryMiddleware())
        return router
    }

    private func registrationRoutes(_ body: JSONBody) -> RegistrationRoutes {
        RegistrationRoutes(
            registrations: AppRegistrations(
                isOn: configuration.takesAppRegistrations, store: store, apps: apps, clock: clock,
                publicURL: { [publicURL] in publicURL.text },
                mayCall: { [webhooks] in webhooks.mayCall($0) },
                prepareKey: { [issuer, clock] in try await issuer.prepare($0, at: clock.now) },
                picture: { [webhooks] in await webhooks.picture($0) }),
            store: store, starts: starts, clock: clock, body: body)
    }

    private func licenseRoutes(_ body: JSONBody) -> LicenseRoutes {
        LicenseRoutes(
            licenses: LicenseService(store: store, issuer: issuer, clock: clock), body: body)
    }

    /// Adds the method middleware last, so that it runs only if no route matches.
    private static func withMethods(_ router: Router<MienRequestContext>) -> Router<
        MienRequestContext
    > {
        router.add(middleware: MethodMiddleware(table: RouteTable(router.routes)))
        return router
    }
}
