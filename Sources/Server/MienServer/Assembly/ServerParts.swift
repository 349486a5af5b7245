internal import Foundation
internal import Hummingbird
internal import Logging
internal import MienAPI
internal import MienCore
internal import MienStore
internal import MienVault
internal import ServiceLifecycle

/// All parts of a server, assembled once.
struct ServerParts: Sendable {
    let store: Store
    let publicURL: PublicURL
    let mail: MailService
    let sweeper: Sweeper
    let changeWatch: ChangeWatch
    /// Reports that this server is alive, if it shares the database, and passes requests on.
    let presence: (any Service)?
    let logouts: OutboxDelivery<BackChannelLogout>
    let identityWorker: IdentityWorker
    let identityNews: OutboxDelivery<IdentityNews>
    let duplicateSearch: DuplicateFaceSearch
    let galleries: GallerySearch
    let masterKeys: MasterKeyRotation
    let bodies = BodyBudget()
    let webhooks: WebhookCaller
    let backChannel: BackChannelLogout
    let passwordCheck: PasswordCheck
    let administrators: AdministratorSignIns
    let accounts: AccountService
    let members: MemberService
    let captures: CaptureService
    let links: CaptureLinks
    let pages: WebPages
    /// Journeys that an address starts, in apps and on pages.
    let starts: RateLimiter
    /// The mode of the presentation check in live captures.
    var presentation: PresentationMode { captures.presentation }
    let migration: FaceMigration
    let journeys: JourneyService
    let trials: JourneyTrials
    let apps: AppCatalog
    let pageDefaults: PageDefaults
    let catalog: JourneyCatalog
    let issuer: TokenIssuer
    let grants: GrantService
    let clients: ClientAuthentication
    let authorization: AuthorizationService
    let biometrics: BiometricGrant
    let challenges: ChallengeService
    let passkeys: PasskeyService
    let tokens: OTPService
    let notices: AuthenticatorNotices
    let recoveryCodes: RecoveryCodeService
    let recoveries: RecoveryService
    let changes: AuthenticatorChanges
    let devices: KnownDeviceService
    let identities: IdentityService
    let verifications: VerificationSessions
    let evidenceKey: EvidenceKey
    let gauges: ServerGauges
    let registry = PrometheusRegistry()
    let metrics: Metrics
    let clock: ServerClock
    let configuration: ServerConfiguration
    let logger: Logger

    init(
        _ configuration: ServerConfiguration, store: Store, publicURL: PublicURL,
        portalURL: PublicURL, clock: ServerClock,
        logger: Logger,
        certificate: ServedCertificate? = nil,
        reader: (any LiveFrameReader)? = nil, documents: (any DocumentVerifier)? = nil,
        engines: EngineSource = .own
    ) async throws {
        (self.configuration, self.store, self.publicURL, self.clock, self.logger) = (
            configuration, store, publicURL, clock, logger
        )
        metrics = Metrics(registry)
        let name = Self.freshName()
        let limits = WorkLimits.server(waitSeconds: configuration.queueWaitSeconds),
            signatures = SignatureQueue(limits: limits)
        let faces = try FaceService(
            packs: configuration.packs, pack: configuration.pack,
            reachableAt: configuration.isLocal
                ? nil : "\(ListenAddress(host: configuration.host, port: configuration.port))",
            cache: configuration.networkCache,
            workers: configuration.faceWorkers, precision: configuration.facePrecision,
            isQuantized: configuration.usesQuantizedNetworks,
            presentation: configuration.presentation,
            measuresPresentation: configuration.shadowPresentation != nil,
            maxBytes: configuration.captureBytes, limits: limits, engines: engines)
        let shadow = FaceShadow(
            store: store, metrics: metrics,
            monitor: FaceMonitor(metrics: metrics, logger: logger), clock: clock,
            threshold: configuration.shadowThreshold,
            faces: try Self.shadowFaces(configuration, beside: faces, engines),
            presentation: configuration.shadowPresentation.map {
                ShadowPresentation(mode: $0, threshold: configuration.shadowPresentationThreshold)
            })
        let passwords = try PasswordService(
            policy: configuration.passwordPolicy, cost: configuration.passwordCost,
            workers: configuration.passwordWorkers, limits: limits)
        mail = try MailService(
            store: store, configuration: configuration, clock: clock, logger: logger,
            metrics: metrics)
        apps = AppCatalog(store: store)
        pageDefaults = PageDefaults(store: store)
        try await pageDefaults.reload()
        devices = KnownDeviceService(store: store)
        let gate = LockGate(store: store, apps: apps, clock: clock)
        let settings = configuration.cluster
        let life: Presence? =
            settings != nil || store.isShared
            ? Presence(
                name: name, at: settings?.address ?? "",
                holdsFaces: settings != nil && configuration.galleryBytes > 0, store: store,
                clock: clock, logger: logger)
            : nil
        let cluster: Cluster? =
            if let settings, let life { try Cluster(life, settings.files, logger: logger) } else {
                nil
            }
        let peers: (any CapturePeers & Service)? = cluster ?? life
        presence = peers
        galleries = GallerySearch(
            store: store,
            worker: GalleryWorker(
                store: store, matcher: faces.matcher, pack: faces.packID,
                memoryBytes: configuration.galleryBytes,
                threads: ProcessInfo.processInfo.activeProcessorCount),
            peers: cluster, logger: logger)
        let replays = ReplayStore(store: store, clock: clock, days: configuration.replayDays)
        captures = CaptureService(
            store: store, gate: gate, faces: faces, shadow: shadow, reader: reader,
            replays: replays, clock: clock, metrics: metrics, peers: peers,
            configuration: configuration)
        issuer = TokenIssuer(
            store: store, issuer: { publicURL.text }, rotateDays: configuration.tokenRotateDays)
        try await issuer.refresh(at: clock.now)
        catalog = JourneyCatalog(store: store)
        let webhooks = try WebhookCaller(configuration, clock: clock)
        self.webhooks = webhooks
        challenges = ChallengeService(store: store, clock: clock)
        let publicURLText: @Sendable () -> String = { publicURL.text }
        grants = GrantService(
            store: store, issuer: issuer,
            proofs: ProofOfPossession(
                store: store, clock: clock, publicURL: publicURLText, signatures: signatures),
            clock: clock,
            metrics: metrics, publicURL: publicURLText)
        notices = AuthenticatorNotices(store: store, mail: mail, publicURL: publicURLText)
        migration = FaceMigration(
            store: store, faces: faces, notices: notices, clock: clock, metrics: metrics)
        duplicateSearch = DuplicateFaceSearch(
            store: store, holder: name, faces: faces, galleries: galleries,
            needsSecondReviewer: configuration.identityNeedsSecondReviewer, clock: clock,
            metrics: metrics, logger: logger)
        for reason in try await migration.loadPacks(
            allowsMissing: configuration.allowsMissingPacks)
        {
            logger.warning("people cannot sign in with their faces: \(reason)")
        }
        // Delete other packs' templates only now, when it is certain that the server starts with
        // this pack.
        try await shadow.deleteOthers()
        passwordCheck = PasswordCheck(
            store: store, gate: gate, passwords: passwords,
            pace: PasswordPace(store: store, passwords: passwords), clock: clock)
        accounts = AccountService(
            store: store, passwords: passwords, notices: notices, clock: clock)
        members = MemberService(
            store: store, apps: apps, mail: mail, clock: clock, publicURL: publicURLText)
        let deviceKeys = DeviceKeyService(
            store: store, gate: gate, notices: notices, clock: clock, metrics: metrics,
            signatures: signatures)
        let attestations = try AttestationJudge(
            configuration, store: store, clock: clock, logger: logger, signatures: signatures)
        changes = AuthenticatorChanges(
            store: store,
            requested: { [catalog] in try await catalog.authenticators(askedBy: $0) },
            clock: clock, rule: configuration.changeRule, identities: configuration.identities)
        biometrics = BiometricGrant(
            keys: deviceKeys, attestations: attestations, grants: grants, challenges: challenges,
            devices: devices, changes: changes, clock: clock, publicURL: publicURLText,
            isEnabled: configuration.identities.contains("biometric"))
        passkeys = PasskeyService(
            store: store, gate: gate, challenges: challenges, notices: notices, clock: clock,
            metrics: metrics, relyingParty: configuration.relyingParty, publicURL: publicURLText,
            isEnabled: configuration.identities.contains("passkey"),
            signatures: signatures)
        administrators = AdministratorSignIns(
            store: store, passwords: passwords, challenges: challenges, signatures: signatures,
            cookies: AdminCookies(isSecure: configuration.adminURL(port: 0).hasPrefix("https://")),
            portal: { portalURL.text }, guessesPerMinute: configuration.guessesPerMinute,
            clock: clock)
        evidenceKey = try EvidenceKey(store.keys)
        let work = configuration.identityDocumentWork
        identities = IdentityService(
            store: store, sources: try configuration.sources(in: store, clock: clock),
            documents: try
                (documents
                ?? configuration.documentVerifier(
                    comparing: faces, limits: limits, clock: clock)).map {
                    DocumentChecker($0, limits: limits)
                }, captures: captures,
            faces: SessionFaces(
                faces: faces, threshold: MatchScore(configuration.faceThreshold)),
            rules: try configuration.makeIdentityRules(),
            jobs: IdentityJobQueue(
                room: work.room, workers: work.workers, patience: work.patience), clock: clock)
        verifications = VerificationSessions(
            store: store, identities: identities, captures: captures,
            previews: PreviewService(limits: limits, clock: clock),
            links: VerificationLinks(store: store, clock: clock, publicURL: publicURLText),
            room: VerificationRoom(
                sessionsOfNetwork: configuration.verificationsPerAddress,
                bytes: configuration.verificationBytes), clock: clock)
        identityWorker = IdentityWorker(identities, metrics: metrics, logger: logger)
        identityNews = OutboxDelivery(
            IdentityNews(store: store, caller: webhooks, metrics: metrics), store: store,
            clock: clock, logger: logger)
        tokens = OTPService(store: store, gate: gate, notices: notices, clock: clock)
        recoveryCodes = RecoveryCodeService(
            store: store, gate: gate, notices: notices, mail: mail, clock: clock)
        recoveries = RecoveryService(
            store: store, mail: mail, policy: configuration.recoveryPolicy, clock: clock,
            publicURL: publicURLText)
        links = CaptureLinks(store: store, clock: clock, publicURL: publicURLText)
        let performer = EffectPerformer(
            store: store, gate: gate, passwords: passwordCheck, accounts: accounts,
            captures: captures, links: links, verifications: verifications, faces: faces,
            migration: migration, shadow: shadow, mail: mail, webhooks: webhooks,
            deviceKeys: deviceKeys,
            attestations: attestations, challenges: challenges, tokens: tokens, changes: changes,
            notices: notices,
            recoveryCodes: recoveryCodes, recoveries: recoveries, clock: clock, metrics: metrics,
            configuration: configuration, publicURL: publicURLText)
        let clientKeys = ClientKeys(caller: webhooks, signatures: signatures, clock: clock)
        clients = ClientAuthentication(
            apps: apps,
            assertions: ClientAssertions(
                store: store, apps: apps, keys: clientKeys, clock: clock,
                publicURL: publicURLText))
        authorization = AuthorizationService(
            store: store, apps: apps, grants: grants, keys: clientKeys, clock: clock,
            publicURL: publicURLText)
        backChannel = BackChannelLogout(
            store: store, issuer: issuer, caller: webhooks, clock: clock, metrics: metrics)
        logouts = OutboxDelivery(backChannel, store: store, clock: clock, logger: logger)
        gauges = ServerGauges(
            metrics: metrics, store: store, dataFolder: configuration.dataFolder,
            queues: { [faces, passwords, signatures, identities] in
                [
                    ("faces", faces.depth), ("passwords", passwords.depth),
                    ("signatures", signatures.depth), ("documents", identities.jobDepth),
                ]
            }, liveCaptures: { [captures] in captures.liveCount },
            galleries: { [galleries] in
                let load = galleries.worker.load
                return (load.faces, load.bytes)
            },
            certificateExpiry: { certificate?.expiry })
        masterKeys = MasterKeyRotation(
            store: store, holder: name, presence: life, clock: clock, logger: logger)
        trials = JourneyTrials(store: store, performer: performer, clock: clock)
        journeys = JourneyService(
            store: store, catalog: catalog, apps: apps, devices: devices, performer: performer,
            grants: grants, clock: clock, metrics: metrics)
        starts = RateLimiter(
            "starts",
            .init(
                burst: configuration.startsPerMinute, perMinute: configuration.startsPerMinute),
            store: store)
        pages = try WebPages(
            store: store, apps: apps, defaults: pageDefaults, grants: grants, changes: changes,
            journeys: journeys, authorization: authorization, captures: captures, links: links,
            verifications: verifications, devices: devices,
            passkeys: passkeys, starts: starts,
            deviceCodes: RateLimiter(
                "device-codes", .init(burst: 20, perMinute: 10), store: store),
            clock: clock, budget: bodies,
            publicURL: publicURLText)
        changeWatch = ChangeWatch(
            store: store,
            checks: [
                ("apps", { [apps] in try await apps.check() }),
                ("look of pages", { [pageDefaults] in try await pageDefaults.check() }),
                ("signing keys", { [issuer] in try await issuer.check(at: clock.now) }),
                ("master keys", { [masterKeys] in try await masterKeys.follow() }),
            ], logger: logger)
        sweeper = Sweeper(
            store: store, holder: name,
            // Sweep sessions first: once a session's record is gone, nothing about it can be written
            // to the audit log.
            before: [
                .init(name: "live captures", isOwn: true) { [captures] _ in
                    try await captures.sweepLive()
                }
            ],
            after: [
                .init(name: "face packs", isOwn: true) { [migration] _ in
                    for pack in try await migration.releasePacks() {
                        logger.notice(
                            "nobody is enrolled with this model pack any longer; it can be removed",
                            metadata: ["pack.id": "\(pack.text)"])
                    }
                },
                .init(name: "identities") { [identities, metrics] now in
                    let damaged = try await identities.sweep(at: now)
                    metrics.set(.damagedRecords, to: Double(damaged), ["kind": "identity"])
                    guard damaged > 0 else { return }
                    logger.error(
                        "records of identity verification could not be decrypted, and were skipped",
                        metadata: ["records": "\(damaged)"])
                },
                .init(name: "imported passwords", isOwn: true) { [passwordCheck] _ in
                    await passwordCheck.pace.prepare()
                },
                .init(name: "look of pages", isOwn: true) { [pageDefaults] _ in
                    try await pageDefaults.reload()
                },
                .init(name: "recent runs", isOwn: true) { [journeys] in
                    try await journeys.sweepRecent(at: $0)
                },
                .init(name: "signing keys", isOwn: true) { [issuer] in
                    try await issuer.refresh(at: $0)
                },
            ],
            maxTrails: ReplayStore.maxTrails,
            auditRetention: configuration.auditRetentionDays.map { .seconds($0 * 86_400) },
            clock: clock, logger: logger)
    }

    /// A name of this process among the servers: no other process has had it.
    private static func freshName() -> String {
        var generator = SystemRandomNumberGenerator()
        return "srv_" + Base64URL.encode(generator.bytes(12))
    }

    /// Loads the pack that `face.shadow.pack` names.
    private static func shadowFaces(
        _ configuration: ServerConfiguration, beside faces: FaceService, _ engines: EngineSource
    ) throws -> FaceService? {
        guard let pack = configuration.shadowPack else { return nil }
        guard pack != faces.packID else {
            throw ConfigurationError([
                "face.shadow.pack names \(pack.text), which is the pack that decides; name another installed pack, or leave the setting empty"
            ])
        }
        return try FaceService(
            packs: configuration.packs, pack: pack, reachableAt: nil,
            cache: configuration.networkCache, workers: 1,
            precision: configuration.facePrecision, isQuantized: false, presentation: .off,
            maxBytes: configuration.captureBytes,
            // A capture waits for it, so it gives up early instead of delaying anybody.
            limits: WorkLimits(total: 8, perOwner: 4, perPart: 2, wait: .milliseconds(250)),
            engines: engines)
    }

    /// Ends the consent to identity verification with the others of an app.
    var identityConsents: OtherConsents {
        { [identities] account, app, actor, tables, now in
            try identities.withdrawConsent(of: account, in: app, by: actor, tables, at: now)
        }
    }
}
