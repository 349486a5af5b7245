import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Random orders of changes of two accounts that take each other's names and addresses, while codes,
/// runs, and tokens wait. The model knows for whom each was made, and what ends it.
@Suite("Orders of changes while something waits", .enabled(if: Installed.isThere, Installed.reason))
struct WaitingOrderTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Something that waits, with the account for which it was made.
    private struct Thing: Sendable {
        let waiting: Waiting
        let owner: UserID
        var hasEnded = false
        let answer: WaitingSteps.Answer

        /// Whether it may act for an account. An invitation of a name that the same account has got
        /// back counts again.
        func mayAct(for account: UserID) -> Bool {
            account == owner
                && (!hasEnded || [.userNameInvitation, .addressInvitation].contains(waiting))
        }

        /// Whether a change ends it for certain. An end of all sign-ins, or of all others, takes only a
        /// permission along that a live sign-in rests on.
        func isEnded(by change: AccountChange) -> Bool {
            guard waiting == .permission, [.allEnded, .othersEnded].contains(change) else {
                return waiting.ends.contains(change)
            }
            return false
        }
    }

    private struct Person: Sendable {
        let id: UserID
        var name: String
        var address: String?
    }

    /// A server with apps, an organization that invites people, and one whose members all are.
    private struct Stage: Sendable {
        let server: TestServer
        let steps: WaitingSteps
        let north: OrganizationID
        private(set) var east: OrganizationID

        init(_ server: TestServer) async throws {
            (self.server, steps) = (server, WaitingSteps(server: server))
            try await server.makeUser("boss")
            for app in WaitingWorld.apps { try await WaitingWorld.makeApp(app, server) }
            try await steps.publish()
            north = try await WaitingWorld.makeOrganization("north", ["boss": ["admin"]], server)
            east = try await WaitingWorld.makeOrganization("east", [:], server)
        }

        /// Makes the second organization again, with the same external ID and members.
        mutating func remakeOrganization(_ members: [String]) async throws {
            try await server.admin.deleteOrganization(east)
            east = try await WaitingWorld.makeOrganization(
                "east", Dictionary(uniqueKeysWithValues: members.map { ($0, []) }), server)
        }

        func remakeApps() async throws {
            for app in WaitingWorld.apps {
                try await server.admin.deleteApp(AppID(app)!)
                try await WaitingWorld.makeApp(app, server)
            }
        }

        /// Lets something wait for a person.
        ///
        /// - Returns: What answers it; `nil` if it cannot wait now.
        func begin(_ waiting: Waiting, for person: Person) async throws -> WaitingSteps.Answer? {
            let steps = steps, name = person.name
            switch waiting {
            case .mailedCode:
                guard person.address != nil else { return nil }
                let mailed = try await steps.beginCode("code", in: "guest", of: name)
                return { try await steps.signedIn(steps.enter(mailed)) }
            case .runByMail:
                guard person.address != nil else { return nil }
                let run = try await steps.enter(steps.beginCode("wait", in: "guest", of: name))
                return { try await steps.signedIn(steps.goOn(run)) }
            case .run:
                let run = try await steps.password("wait", in: "guest", of: name)
                return { try await steps.signedIn(steps.goOn(run)) }
            case .journeyToken:
                let token = try await steps.journeyToken(in: "guest", of: name)
                return { try await steps.exchange(token, in: "guest") }
            case .organizationToken:
                let token = try await steps.journeyToken(
                    in: "club", of: name, organization: "east")
                return { try await steps.exchange(token, in: "club") }
            case .browserSession:
                let browser = PageBrowser(server.address)
                _ = try await browser.signIn(PagesTests.authorize("shop"), name: name)
                return {
                    try await steps.redeem(
                        browser.get(PagesTests.authorize("shop")).parameters["code"], in: "shop")
                }
            case .permissionPage:
                let browser = PageBrowser(server.address)
                _ = try await browser.signIn(PagesTests.authorize("guest"), name: name)
                let question = try await browser.open(
                    PagesTests.authorize("guest", ["prompt": "consent"]))
                return {
                    try await steps.redeem(
                        browser.submit(question, ["action": "allow"]).parameters["code"])
                }
            case .appSignIn:
                let code = try await PageBrowser(server.address).signIn(
                    PagesTests.authorize("guest", ["scope": "openid offline_access"]), name: name
                ).parameters["code"]
                let token = try await steps.tokens(code ?? "", in: "guest")["refresh_token"]
                let client = TokenClient(server: server, app: "guest")
                return { try await steps.account(of: client.refresh(token)) }
            case .userNameInvitation, .addressInvitation:
                let invited = waiting == .userNameInvitation ? name : person.address
                guard let invited,
                    let invitation = try await steps.invite(invited, to: north)
                else { return nil }
                return { try await steps.accept(invitation) }
            case .authorizationCode:
                let code = try await PageBrowser(server.address).signIn(
                    PagesTests.authorize("guest"), name: name
                ).parameters["code"]
                return { try await steps.redeem(code) }
            // Nothing is mailed then.
            case .mailedLink where person.address == nil, .recovery where person.address == nil:
                return nil
            default:
                return try await steps.beginOutside(waiting, of: person.id, named: name)
            }
        }
    }

    /// The kinds of things that wait. Codes are drawn more often.
    /// ``WaitingAdministratorOrderTests`` draws those of administrators.
    private static let kinds: [Waiting] = [
        .mailedCode, .mailedCode, .runByMail, .run, .journeyToken, .authorizationCode,
        .organizationToken, .browserSession, .permissionPage, .appSignIn, .userNameInvitation,
        .addressInvitation, .mailedLink, .capture, .captureHandover, .registrationCode, .approval,
        .verification, .verificationLink, .verificationHandover, .review, .mailQueue, .delivery,
        .device, .recovery, .permission, .duplicateCase,
    ]

    private static let names = ["ada", "bob", "eve"],
        addresses = ["one@example.org", "two@example.org", "three@example.org"]

    @Test(
        "no answer acts for another account, whatever changed in between",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func orders(seed: UInt64) async throws {
        try await DecidedSessions.run(in: scratch) { server in
            var world = try await Stage(server)
            var generator = SeededGenerator(seed: seed), people: [Person] = [],
                things: [Thing] = [], story: [String] = [], acted = 0
            // The people for whom a recovery was begun.
            var recovering: Set<UserID> = []

            func end(_ change: AccountChange, of person: UserID?) {
                story.append("\(change.rawValue): \(person?.text ?? "all")")
                for index in things.indices
                where (person == nil || things[index].owner == person)
                    && things[index].isEnded(by: change)
                { things[index].hasEnded = true }
            }
            func free(_ all: [String], _ taken: [String?]) -> String? {
                all.filter { !taken.contains($0) }.randomElement(using: &generator)
            }
            func change() async throws {
                server.time.advance(.seconds(1))
                let kind = Int.random(in: 0..<12, using: &generator)
                guard kind > 1, let index = people.indices.randomElement(using: &generator) else {
                    guard let name = free(Self.names, people.map(\.name)) else { return }
                    let address = free(Self.addresses, people.map(\.address))
                    let made = try await server.admin.createUser(
                        UserRequest(
                            username: name, email: address, password: WaitingSteps.password))
                    _ = try await server.admin.addMember(name, to: world.east)
                    people.append(
                        Person(id: try #require(UserID(made.id)), name: name, address: address))
                    story.append("made \(name) \(address ?? ""): \(made.id)")
                    return
                }
                let id = people[index].id
                switch kind {
                case 2:
                    try await server.admin.deleteUser(id)
                    people.remove(at: index)
                    end(.deleted, of: id)
                case 3, 4:
                    guard let name = free(Self.names, people.map(\.name)) else { return }
                    _ = try await server.admin.updateUser(id, UserRequest(username: name))
                    people[index].name = name
                    end(.renamed, of: id)
                case 5, 6:
                    let address = free(Self.addresses, people.map(\.address))
                    guard address != nil || people[index].address != nil else { return }
                    _ = try await server.admin.updateUser(id, UserRequest(email: address ?? ""))
                    if people[index].address != nil { end(.otherAddress, of: id) }
                    people[index].address = address
                case 7:
                    for state in [UserRequest.State.suspended, .active] {
                        _ = try await server.admin.updateUser(id, UserRequest(state: state))
                    }
                    end(.suspended, of: id)
                case 8:
                    let change: AccountChange = [.compromised, .allEnded, .othersEnded]
                        .randomElement(using: &generator)!
                    switch change {
                    case .compromised: try await server.admin.markCompromised(id)
                    case .allEnded: try await server.admin.endSignIns(of: id)
                    default:
                        let access = try await TokenClient(server: server).signIn(
                            people[index].name)["access_token"]
                        let status = try await server.sendJSON(
                            .delete, "/v1/me/sign-ins", access: access
                        ).status
                        guard status == 204 else {
                            // A sign-in that is younger than a pending recovery must not end those
                            // that can cancel it.
                            #expect(status == 409 && recovering.contains(id))
                            return
                        }
                    }
                    end(change, of: id)
                case 9:
                    guard people[index].address != nil else { return }
                    _ = try await server.admin.updateUser(id, UserRequest(emailVerified: false))
                    people[index].address = nil
                    end(.unverified, of: id)
                case 10:
                    let isGiven = try await server.admin.consents(of: id).contains {
                        $0.appID == "guest"
                    }
                    guard isGiven else { return }
                    try await server.admin.withdrawConsent(of: id, to: AppID("guest")!)
                    end(.withdrawn, of: id)
                default:
                    if Bool.random(using: &generator) {
                        try await world.remakeApps()
                        end(.remadeApp, of: nil)
                    } else {
                        try await world.remakeOrganization(people.map(\.name))
                        // Nobody is invited to that organization.
                        for index in things.indices {
                            things[index].hasEnded =
                                things[index].hasEnded
                                || things[index].waiting == .organizationToken
                        }
                        story.append(AccountChange.remadeOrganization.rawValue)
                    }
                }
            }
            func begin() async throws {
                guard let person = people.randomElement(using: &generator),
                    let waiting = Self.kinds.randomElement(using: &generator),
                    let answer = try await world.begin(waiting, for: person)
                else { return }
                if waiting == .recovery { recovering.insert(person.id) }
                story.append("\(waiting.rawValue) for \(person.id.text), \(person.name)")
                things.append(Thing(waiting: waiting, owner: person.id, answer: answer))
            }
            for _ in 0..<40 {
                try await begin()
                try await change()
                guard Bool.random(using: &generator),
                    let index = things.indices.randomElement(using: &generator)
                else { continue }
                let thing = things.remove(at: index)
                let account = try await thing.answer()
                acted += account == nil ? 0 : 1
                #expect(
                    account.map { thing.mayAct(for: $0) } ?? true,
                    "seed \(seed): \(thing.waiting.rawValue) for \(thing.owner.text) acted for \(account?.text ?? ""); \(story)"
                )
            }
            for thing in things where !thing.hasEnded {
                let account = try await thing.answer()
                acted += account == nil ? 0 : 1
                #expect(account == nil || account == thing.owner, "seed \(seed): \(story)")
            }
            #expect(acted > 0, "nothing that waited was answered")
        }
    }
}
