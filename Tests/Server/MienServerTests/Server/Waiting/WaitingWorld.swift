import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienStore
import MienTesting
import Testing

@testable import MienServer

/// A server on which everything of one person waits, while what it belongs to changes.
struct WaitingWorld: Sendable {
    /// Answers what waited, and returns the account for which it acted.
    typealias Probe = @Sendable () async throws -> UserID?

    private static let name = "ada", address = "ada@example.org"
    /// The operator's app, and two of others, of which the second signs in through organizations.
    static let apps = ["shop", "guest", "club"]
    private static let shop = AppID("shop")!, guest = AppID("guest")!
    private static let password = WaitingSteps.password

    let server: TestServer
    let user: UserID
    private let boss: UserID
    /// Two organizations that invite the user, and one whose member the user is.
    private let north, south, east: OrganizationID
    /// A sign-in older than all others, which may end them although a recovery is pending.
    private let oldest: TokenClient.Answer

    private var store: Store { server.server.parts.store }
    private var steps: WaitingSteps { WaitingSteps(server: server) }

    init(_ server: TestServer) async throws {
        self.server = server
        user = try await server.makeUser(Self.name)
        boss = try await server.makeUser("boss")
        oldest = try await TokenClient(server: server).signIn()
        for app in Self.apps { try await Self.makeApp(app, server) }
        try await WaitingSteps(server: server).publish()
        north = try await Self.makeOrganization("north", ["boss": ["admin"]], server)
        south = try await Self.makeOrganization("south", ["boss": ["admin"]], server)
        east = try await Self.makeOrganization("east", [Self.name: []], server)
    }

    static func makeApp(_ id: String, _ server: TestServer) async throws {
        try await PagesTests.makeApp(
            id, on: server, isFirstParty: id == "shop",
            id == "club" ? ["organizations": ["use": "require"]] : [:])
    }

    static func makeOrganization(
        _ externalID: String, _ members: [String: [String]], _ server: TestServer
    ) async throws -> OrganizationID {
        let made = try await server.admin.createOrganization(
            OrganizationRequest(name: "Organization", externalID: externalID))
        let id = try #require(OrganizationID(made.id))
        for (member, roles) in members {
            _ = try await server.admin.addMember(member, to: id, roles: roles)
        }
        return id
    }

    // MARK: What waits

    /// Lets everything wait.
    func wait() async throws -> [Waiting: Probe] {
        let server = server
        let own = try await TokenClient(server: server, app: "shop").signIn()["access_token"]
        let registration = try await registrationCode(own)
        #expect(
            try await server.sendJSON(.post, "/v1/me/recovery-codes", body: "{}", access: own)
                .status < 300)
        let link = try Outbox.code(
            in: try await steps.outbox.mail(with: "A set of recovery codes was added"))
        let recovery = try await steps.beginCode("recovery-email", in: "shop")
        _ = try await steps.enter(recovery)

        let mailed = try await steps.beginCode("code", in: "guest")
        let byMail = try await steps.enter(steps.beginCode("wait", in: "guest"))
        let byPassword = try await steps.password("wait", in: "guest")
        let browser = PageBrowser(server.address)
        let first = try await browser.signIn(
            PagesTests.authorize("guest", ["scope": "openid email offline_access"])
        ).parameters["code"]
        let refresh = try #require(
            try await steps.tokens(first ?? "", in: "guest")["refresh_token"])
        let code = try await browser.get(PagesTests.authorize("guest")).parameters["code"]
        let question = try await browser.open(
            PagesTests.authorize("guest", ["prompt": "consent"]))
        let token = try await steps.journeyToken(in: "guest")
        let memberToken = try await steps.journeyToken(in: "club", organization: "east")
        let byName = try #require(try await steps.invite(Self.name, to: north))
        let byAddress = try #require(try await steps.invite(Self.address, to: south))
        let visitor = PageBrowser(server.address)
        _ = try await visitor.signIn(PagesTests.authorize("shop"))
        let owner = try await VerifyingUser.signedIn(on: server, app: "shop")
        let session = try await open(verificationLink(owner))
        let otherLink = try await verificationLink(owner)
        let (capture, approval) = try await insertRecords()
        let store = store, user = user, steps = steps
        var probes: [Waiting: Probe] = [:]
        probes[.mailedCode] = { try await steps.signedIn(steps.enter(mailed)) }
        probes[.mailQueue] = {
            try await store.read { try $0.outbox.count(.mail) } > 0 ? user : nil
        }
        probes[.mailedLink] = {
            let client = TokenClient(server: server)
            let answer = try await client.post("/notices", [("code", link)])
            return answer.status == 200 ? user : nil
        }
        probes[.recovery] = {
            let now = server.time.now
            return try await store.read { tables in
                try tables.recoveries.all(of: user).first { $0.request.isOpen(at: now) }?
                    .account
            }
        }
        probes[.run] = { try await steps.signedIn(steps.goOn(byPassword)) }
        probes[.runByMail] = { try await steps.signedIn(steps.goOn(byMail)) }
        probes[.capture] = { try await store.read { try $0.captures.find(capture)?.account } }
        probes[.journeyToken] = { try await steps.exchange(token, in: "guest") }
        probes[.permissionPage] = {
            try await steps.redeem(
                browser.submit(question, ["action": "allow"]).parameters["code"])
        }
        probes[.permission] = {
            let browser = PageBrowser(server.address)
            _ = try await browser.signIn("/signin", name: currentName())
            return try await steps.redeem(
                browser.get(PagesTests.authorize("guest")).parameters["code"])
        }
        probes[.authorizationCode] = { try await steps.redeem(code) }
        probes[.registrationCode] = { try await register(registration) ? user : nil }
        probes[.approval] = {
            let now = server.time.now
            return try await store.read {
                try $0.approvals.open(codeHash: approval, at: now)?.account
            }
        }
        let device = try await guestDevices().first
        #expect(device != nil)
        probes[.device] = {
            try await guestDevices().contains { $0.id == device?.id } ? user : nil
        }
        probes[.browserSession] = {
            try await steps.redeem(
                visitor.get(PagesTests.authorize("shop")).parameters["code"], in: "shop")
        }
        probes[.appSignIn] = {
            try await steps.account(
                of: TokenClient(server: server, app: "guest").refresh(refresh))
        }
        probes[.verification] = { try await choose(in: session) ? user : nil }
        probes[.verificationLink] = { try await choose(in: open(otherLink)) ? user : nil }
        probes[.review] = {
            try await store.read { try $0.reviewCases.find(Self.review)?.account }
        }
        probes[.delivery] = {
            try await store.read { try $0.outbox.count(.identity) } > 0 ? user : nil
        }
        probes[.userNameInvitation] = { try await steps.accept(byName) }
        probes[.addressInvitation] = { try await steps.accept(byAddress) }
        probes[.organizationToken] = { try await steps.exchange(memberToken, in: "club") }
        return probes
    }

    /// The known devices of the user in the app of others.
    private func guestDevices() async throws -> [KnownDevice] {
        let user = user
        return try await store.read { tables in
            guard let account = try tables.accounts.find(user) else { return [] }
            return try tables.devices.all(of: account).map(\.device).filter {
                $0.app == Self.guest
            }
        }
    }

    private static let review = ReviewCaseID("cas_waiting")!

    /// Stores what takes a long way to make: a capture, a request for approval, a review, and a mail
    /// and a message that are tried again in an hour.
    private func insertRecords() async throws -> (CaptureID, approval: [UInt8]) {
        var generator = SystemRandomNumberGenerator()
        let now = server.time.now, end = now + .seconds(3600)
        let capture = CaptureRecord(
            id: .random(using: &generator), tokenHash: generator.bytes(32),
            run: .random(using: &generator), app: Self.guest, account: user, expiresAt: end)
        let approval = ApprovalRecord(
            id: "approval", account: user, app: Self.shop, run: "run",
            content: Sensitive([]), expiresAt: end)
        let mail = OutboxMessage(
            id: OutboxMessage.freshID(), kind: .mail, account: user, content: Sensitive([]),
            createdAt: end)
        let message = OutboxMessage(
            id: OutboxMessage.freshID(), kind: .identity, app: Self.guest, account: user,
            content: Sensitive([]), createdAt: end)
        let attempt = AttemptRecord(
            id: IdentityAttemptID("idv_waiting")!, account: user, app: Self.guest,
            kind: .personalData, begunAt: now, contentExpiresAt: end, content: Sensitive([1]))
        let review = ReviewCaseRecord(
            review: ReviewCase(id: Self.review, attempt: attempt.id, needsSecondReviewer: false),
            account: user, app: Self.guest, openedAt: now)
        let hash = generator.bytes(32), user = user
        try await store.write { tables in
            let account = try #require(try tables.accounts.find(user))
            try tables.verificationAttempts.insert(attempt, images: [], of: account)
            try tables.reviewCases.insert(review)
            try tables.outbox.insert(message)
            try tables.captures.insert(capture)
            try tables.approvals.insert(approval, codeHash: hash)
            try tables.outbox.insert(mail)
        }
        return (capture.id, hash)
    }

    // MARK: What changes

    func apply(_ change: AccountChange) async throws {
        let admin = server.admin
        // Accounts, apps, and organizations that the change makes again must be newer.
        server.time.advance(.seconds(2))
        switch change {
        case .deleted:
            try await admin.deleteUser(user)
            _ = try await server.makeUser(Self.name)
        case .renamed:
            _ = try await admin.updateUser(user, UserRequest(username: "ada-before"))
            _ = try await admin.createUser(
                UserRequest(
                    username: Self.name, email: "newcomer@example.org", password: Self.password))
        case .otherAddress:
            _ = try await admin.updateUser(user, UserRequest(email: "other@example.org"))
            try await makeNewcomer()
        case .noAddress:
            _ = try await admin.updateUser(user, UserRequest(email: ""))
            try await makeNewcomer()
        case .unverified:
            _ = try await admin.updateUser(user, UserRequest(emailVerified: false))
            try await makeNewcomer()
        case .addressAndBack:
            for address in ["other@example.org", Self.address] {
                _ = try await admin.updateUser(user, UserRequest(email: address))
            }
        case .suspended:
            for state in [UserRequest.State.suspended, .active] {
                _ = try await admin.updateUser(user, UserRequest(state: state))
            }
        case .compromised: try await admin.markCompromised(user)
        case .allEnded: try await admin.endSignIns(of: user)
        case .othersEnded:
            let answer = try await server.sendJSON(
                .delete, "/v1/me/sign-ins", access: oldest["access_token"])
            #expect(answer.status == 204, "\(answer)")
        case .withdrawn: try await admin.withdrawConsent(of: user, to: Self.guest)
        case .removedRole:
            for organization in [north, south] {
                for roles in [[], ["admin"]] {
                    _ = try await admin.changeRoles(of: boss, in: organization, to: roles)
                }
            }
        case .remadeApp:
            for app in Self.apps {
                try await admin.deleteApp(AppID(app)!)
                try await Self.makeApp(app, server)
            }
        case .remadeOrganization:
            for organization in [north, south, east] {
                try await admin.deleteOrganization(organization)
            }
            _ = try await Self.makeOrganization("north", ["boss": ["admin"]], server)
            _ = try await Self.makeOrganization("south", ["boss": ["admin"]], server)
            _ = try await Self.makeOrganization(east.text, [Self.name: []], server)
        }
    }

    /// Makes somebody who takes the address.
    private func makeNewcomer() async throws {
        _ = try await server.admin.createUser(
            UserRequest(username: "newcomer", email: Self.address, password: Self.password))
    }

    /// The name of the account, or of the one that has taken its name.
    private func currentName() async throws -> String {
        let all = try await server.admin.users().items
        return all.first { $0.id == user.text }?.username ?? Self.name
    }

    // MARK: Steps

    /// Returns the link to the verification session of a user.
    private func verificationLink(_ user: VerifyingUser) async throws -> String {
        let answer = try await user.send(.post, "/document-capture").body
        return try #require(answer["documentCaptureUrl"]?.stringValue, "\(answer)")
    }

    /// Opens the verification session of a link.
    private func open(_ link: String) async throws -> CapturingPerson? {
        try await DecidedSessions.person(link, on: server)
    }

    /// Returns whether a document can be chosen in a verification session.
    private func choose(in person: CapturingPerson?) async throws -> Bool {
        try await person?.choose("driverLicense", country: "US").status == 200
    }

    private func registrationCode(_ access: String?) async throws -> String {
        let offer = try await server.sendJSON(
            .post, "/v1/me/otp/registrations", body: "{}", access: access)
        return try #require(offer.body["registration_code"]?.stringValue, "\(offer)")
    }

    /// Returns whether a device got a token with a registration code.
    private func register(_ code: String) async throws -> Bool {
        let body: [String: JSONValue] = [
            "registration_code": .string(code), "public_key": TokenDevice().jwk, "name": "Phone",
            "os": "linux",
        ]
        return try await server.send(.post, "/v1/otp/tokens", JSONText.write(.object(body)))
            .body["token_id"] != nil
    }
}
