import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Random orders of changes of administrators, while setup codes and invitations wait. The model knows
/// for whom each was made, by whom, and what ends it.
@Suite(
    "Orders of changes while codes of administrators wait",
    .enabled(if: Installed.isThere, Installed.reason))
struct WaitingAdministratorOrderTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// An owner with a credential.
    private struct Owner: Sendable {
        let answer: AdministratorAnswer
        let client: MienAdmin

        var id: String { answer.id }
    }

    /// A setup code, or an invitation.
    private struct Code: Sendable {
        /// The administrator whom a setup code is for; `nil` for an invitation.
        let subject: String?
        let name, author, link: String
        var hasEnded = false

        /// Whether it makes the one who uses it somebody else than it was made for.
        func isStrange(_ me: JSONValue) -> Bool {
            if let subject { return me["id"] != .string(subject) }
            return me["name"] != .string(name) || me["role"] != "auditor"
        }
    }

    private static let names = ["Grace", "Heidi", "Ivan"]

    @Test(
        "a code sets up whom it was made for, and ends with that one and with who made it",
        arguments: [1, 2, 3, 4] as [UInt64])
    func orders(seed: UInt64) async throws {
        try await TestServer.run(in: scratch) { server in
            var generator = SeededGenerator(seed: seed), owners: [Owner] = [],
                operators: [AdministratorAnswer] = [], codes: [Code] = [], story: [String] = [],
                number = 0, acted = 0

            func end(_ what: String, _ isEnded: (Code) -> Bool) {
                story.append(what)
                for index in codes.indices where isEnded(codes[index]) {
                    codes[index].hasEnded = true
                }
            }
            func begin() async throws {
                guard let owner = owners.randomElement(using: &generator) else { return }
                number += 1
                if Bool.random(using: &generator),
                    let subject = operators.randomElement(using: &generator)
                {
                    let made = try await owner.client.makeSetupCode(forAdministrator: subject.id)
                    // It replaces the one before.
                    end("code for \(subject.id) by \(owner.id)") { $0.subject == subject.id }
                    codes.append(
                        Code(
                            subject: subject.id, name: subject.name, author: owner.id,
                            link: made.link))
                } else {
                    let name = "Guest \(number)"
                    let made = try await owner.client.inviteAdministrator(name, as: .auditor)
                    story.append("\(name) by \(owner.id)")
                    codes.append(
                        Code(
                            subject: nil, name: name, author: owner.id,
                            link: try #require(made.link)))
                }
            }
            func changeOwner() async throws {
                guard let index = owners.indices.randomElement(using: &generator) else { return }
                let id = owners[index].id
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    try await server.admin.removeAdministrator(id)
                    owners.remove(at: index)
                    end("removed \(id)") { $0.author == id }
                case 1:
                    for role in [AdminRole.operator, .owner] {
                        _ = try await server.admin.changeAdministrator(id, to: role)
                    }
                    end("demoted, and back \(id)") { $0.author == id }
                case 2:
                    let code = try await server.admin.makeSetupCode(forAdministrator: id)
                    number += 1
                    try await PortalBrowser(server).setUp(
                        code: PortalBrowser.code(of: Sensitive(code.link)),
                        name: "Owner \(number)")
                    // The credential ends as well.
                    owners.remove(at: index)
                    end("set up again \(id)") { $0.author == id }
                default:
                    let answer = try await server.sendJSON(
                        .delete, "/v1/administrator/sessions",
                        access: owners[index].answer.credential)
                    #expect(answer.status == 204, "\(answer)")
                    story.append("sessions ended \(id)")
                }
            }
            func change() async throws {
                server.time.advance(.seconds(1))
                if owners.count < 2 {
                    let (answer, client) = try await server.admin(as: .owner)
                    owners.append(Owner(answer: answer, client: client))
                    story.append("owner \(answer.id)")
                    return
                }
                guard Bool.random(using: &generator) else { return try await changeOwner() }
                let free = Self.names.filter { name in !operators.contains { $0.name == name } }
                if let name = free.randomElement(using: &generator) {
                    operators.append(
                        try await server.admin.createAdministrator(name, as: .operator))
                } else if let index = operators.indices.randomElement(using: &generator) {
                    let id = operators.remove(at: index).id
                    try await server.admin.removeAdministrator(id)
                    end("removed \(id)") { $0.subject == id }
                }
            }
            for _ in 0..<40 {
                try await change()
                try await begin()
                guard Bool.random(using: &generator),
                    let index = codes.indices.randomElement(using: &generator)
                else { continue }
                let code = codes.remove(at: index)
                let me = try await WaitingAdministrators.use(
                    code.link, code.subject == nil ? "invitation" : "setup", on: server)
                story.append("used the code for \(code.subject ?? code.name)")
                #expect(code.hasEnded == (me == nil), "seed \(seed): \(story)")
                guard let me else { continue }
                acted += 1
                #expect(!code.isStrange(me), "seed \(seed): \(me) for \(code.name); \(story)")
            }
            #expect(acted > 0, "no code was used")
        }
    }
}
