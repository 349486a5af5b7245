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
        let answer: @Sendable () async throws -> UserID?
    }

    private struct Person: Sendable {
        let id: UserID
        var name: String
        var address: String?
    }

    private static let names = ["ada", "bob", "eve"],
        addresses = ["one@example.org", "two@example.org", "three@example.org"]

    @Test(
        "no answer acts for another account, whatever changed in between",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func orders(seed: UInt64) async throws {
        try await TestServer.run(in: scratch) { server in
            let steps = WaitingSteps(server: server)
            try await steps.publish()
            try await PagesTests.makeApp("guest", on: server, isFirstParty: false)
            var generator = SeededGenerator(seed: seed), people: [Person] = [],
                things: [Thing] = [], story: [String] = [], acted = 0

            func end(_ change: AccountChange, of person: UserID?) {
                story.append("\(change.rawValue): \(person?.text ?? "all")")
                for index in things.indices
                where (person == nil || things[index].owner == person)
                    && things[index].waiting.ends.contains(change)
                { things[index].hasEnded = true }
            }
            func free(_ all: [String], _ taken: [String?]) -> String? {
                all.filter { !taken.contains($0) }.randomElement(using: &generator)
            }
            func change() async throws {
                server.time.advance(.seconds(1))
                let kind = Int.random(in: 0..<9, using: &generator)
                guard kind > 1, let index = people.indices.randomElement(using: &generator) else {
                    guard let name = free(Self.names, people.map(\.name)) else { return }
                    let address = free(Self.addresses, people.map(\.address))
                    let made = try await server.admin.createUser(
                        UserRequest(
                            username: name, email: address, password: WaitingSteps.password))
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
                default:
                    if Bool.random(using: &generator) {
                        try await server.admin.markCompromised(id)
                        end(.compromised, of: id)
                    } else {
                        try await server.admin.deleteApp(AppID("guest")!)
                        try await PagesTests.makeApp("guest", on: server, isFirstParty: false)
                        end(.remadeApp, of: nil)
                    }
                }
            }
            func begin() async throws {
                guard let person = people.randomElement(using: &generator) else { return }
                let kinds: [Waiting] = [
                    .mailedCode, .mailedCode, .runByMail, .run, .journeyToken, .authorizationCode,
                ]
                let waiting = kinds.randomElement(using: &generator) ?? .mailedCode
                let answer: @Sendable () async throws -> UserID?
                switch waiting {
                case .mailedCode:
                    guard person.address != nil else { return }
                    let mailed = try await steps.beginCode("code", in: "guest", of: person.name)
                    answer = { try await steps.signedIn(steps.enter(mailed)) }
                case .runByMail:
                    guard person.address != nil else { return }
                    let run = try await steps.enter(
                        steps.beginCode("wait", in: "guest", of: person.name))
                    answer = { try await steps.signedIn(steps.goOn(run)) }
                case .run:
                    let run = try await steps.password("wait", in: "guest", of: person.name)
                    answer = { try await steps.signedIn(steps.goOn(run)) }
                case .journeyToken:
                    let token = try await steps.journeyToken(in: "guest", of: person.name)
                    answer = { try await steps.exchange(token, in: "guest") }
                default:
                    let back = try await PageBrowser(server.address).signIn(
                        PagesTests.authorize("guest"), name: person.name)
                    let code = back.parameters["code"]
                    answer = { try await steps.redeem(code) }
                }
                story.append("\(waiting.rawValue) for \(person.id.text), \(person.name)")
                things.append(
                    Thing(waiting: waiting, owner: person.id, answer: answer))
            }
            for _ in 0..<30 {
                try await begin()
                try await change()
                guard Bool.random(using: &generator),
                    let index = things.indices.randomElement(using: &generator)
                else { continue }
                let thing = things.remove(at: index)
                let account = try await thing.answer()
                acted += account == nil ? 0 : 1
                #expect(
                    account == nil || (account == thing.owner && !thing.hasEnded),
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
