import Foundation
import MienAPI
import MienClient
import MienCore
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
    private static let password = WaitingSteps.password

    /// Settings with which messages reach apps of this machine.
    static let settings = [
        "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
        "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
    ]

    let server: TestServer
    let user: UserID
    private let boss: UserID
    /// Two organizations that invite the user, and one whose member the user is.
    private let north, south, east: OrganizationID
    /// A sign-in older than all others, which may end them although a recovery is pending.
    private let oldest: TokenClient.Answer
    private let administrators: WaitingAdministrators
    /// Takes the messages to the app of others.
    private let service: StubService

    private var store: Store { server.server.parts.store }
    private var steps: WaitingSteps { WaitingSteps(server: server) }

    init(_ server: TestServer, _ service: StubService) async throws {
        (self.server, self.service) = (server, service)
        user = try await server.makeUser(Self.name)
        boss = try await server.makeUser("boss")
        oldest = try await TokenClient(server: server).signIn()
        for app in Self.apps { try await Self.makeApp(app, server, telling: service) }
        try await WaitingSteps(server: server).publish()
        administrators = try await WaitingAdministrators(server)
        north = try await Self.makeOrganization("north", ["boss": ["admin"]], server)
        south = try await Self.makeOrganization("south", ["boss": ["admin"]], server)
        east = try await Self.makeOrganization("east", [Self.name: []], server)
    }

    /// - Parameter service: Hears of verifications in the first app of others.
    static func makeApp(_ id: String, _ server: TestServer, telling service: StubService? = nil)
        async throws
    {
        var settings: [String: JSONValue] = [:]
        if id == "club" { settings["organizations"] = ["use": "require"] }
        if id == "guest", let service {
            settings["identity"] = ["webhook": .string(service.url("ok"))]
        }
        try await PagesTests.makeApp(id, on: server, isFirstParty: id == "shop", settings)
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

    /// Lets everything wait, except for what needs a phone.
    func wait() async throws -> [Waiting: Probe] {
        let server = server
        let own = try await TokenClient(server: server, app: "shop").signIn()["access_token"]
        let registration = try #require(try await steps.registrationCode(own))
        let link = try #require(try await steps.removalLink(own))
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
        let moving = try await WaitingHandover(
            .verification, steps.verificationLink(owner), on: server)
        let session = try await steps.open(steps.verificationLink(owner))
        let otherLink = try await steps.verificationLink(owner)
        let capture = try await steps.openCapture(of: user, in: "guest")
        let moved = try await steps.openCapture(of: user, in: "guest")
        let movingCapture = try await steps.move(moved)
        let review = try await steps.openReview(of: user)
        let mail = try await steps.queueMail(about: user)
        let message = try await steps.queueMessage(about: user)
        let duplicate = try #require(try await steps.openDuplicate(of: user, and: boss))
        let store = store, user = user, boss = boss, steps = steps, service = service,
            administrators = administrators
        var probes: [Waiting: Probe] = [:]
        probes[.mailedCode] = { try await steps.signedIn(steps.enter(mailed)) }
        probes[.mailQueue] = { try await steps.account(ofMessage: mail) }
        probes[.mailedLink] = { try await steps.follow(link) ? user : nil }
        probes[.recovery] = {
            let now = server.time.now
            return try await store.read { tables in
                try tables.recoveries.all(of: user).first { $0.request.isOpen(at: now) }?
                    .account
            }
        }
        probes[.run] = { try await steps.signedIn(steps.goOn(byPassword)) }
        probes[.runByMail] = { try await steps.signedIn(steps.goOn(byMail)) }
        probes[.capture] = { try await steps.takePicture(capture.id, capture.token) }
        probes[.captureHandover] = {
            try await steps.takePicture(moved.id, movingCapture.goOn())
        }
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
        probes[.registrationCode] = {
            try await steps.register(registration) == nil ? nil : user
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
        probes[.verification] = { try await steps.choose(in: session) ? user : nil }
        probes[.verificationLink] = {
            try await steps.choose(in: steps.open(otherLink)) ? user : nil
        }
        probes[.verificationHandover] = { try await steps.choose(after: moving) ? user : nil }
        probes[.review] = { try await steps.decide(review) }
        probes[.duplicateCase] = {
            let accounts = try await steps.decideDuplicate(duplicate)
            #expect(accounts.isEmpty || accounts == [user, boss])
            return accounts.first
        }
        probes[.administratorSetup] = { try await administrators.setsUp() ? user : nil }
        probes[.administratorInvitation] = { try await administrators.invites() ? user : nil }
        probes[.delivery] = {
            // The time at which the message is tried again.
            server.time.advance(.seconds(3600))
            try await eventually { try await store.read { try $0.outbox.count(.identity) } == 0 }
            return service.requests.contains { $0.contains(message) } ? user : nil
        }
        probes[.userNameInvitation] = { try await steps.accept(byName) }
        probes[.addressInvitation] = { try await steps.accept(byAddress) }
        probes[.organizationToken] = { try await steps.exchange(memberToken, in: "club") }
        return probes
    }

    /// Lets a phone wait for an approval. An account with a phone needs it for all that is added, so
    /// nothing else waits in this world.
    func waitForPhone() async throws -> [Waiting: Probe] {
        // There is a permission to withdraw.
        _ = try await PageBrowser(server.address).signIn(PagesTests.authorize("guest"))
        let phone = try await steps.phone(of: user, in: "shop")
        let payment = try await steps.pay(in: "shop")
        let steps = steps, user = user
        return [.approval: { try await steps.approve(payment, on: phone) ? user : nil }]
    }

    /// The known devices of the user in the app of others.
    private func guestDevices() async throws -> [KnownDevice] {
        let user = user
        return try await store.read { tables in
            guard let account = try tables.accounts.find(user) else { return [] }
            return try tables.devices.all(of: account).map(\.device).filter {
                $0.app == WaitingSteps.guest
            }
        }
    }

    // MARK: What changes

    func apply(_ change: AccountChange) async throws {
        let admin = server.admin
        // Accounts, apps, and organizations that the change makes again must be newer.
        server.time.advance(.seconds(2))
        try await administrators.apply(change)
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
        case .withdrawn: try await admin.withdrawConsent(of: user, to: WaitingSteps.guest)
        case .removedRole:
            for organization in [north, south] {
                for roles in [[], ["admin"]] {
                    _ = try await admin.changeRoles(of: boss, in: organization, to: roles)
                }
            }
        case .remadeApp:
            for app in Self.apps {
                try await admin.deleteApp(AppID(app)!)
                try await Self.makeApp(app, server, telling: service)
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
}
