import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("Setting up the portal", .enabled(if: Installed.isThere, Installed.reason))
struct PortalSetupTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("the code of the first start sets up one administrator, once")
    func firstStart() async throws {
        try await TestServer.run(in: scratch) { server in
            let link = try #require(server.server.firstStart).setupCode.link.use { $0 }
            let port = try #require(server.adminAddress.split(separator: ":").last)
            #expect(link.hasPrefix("http://localhost:\(port)/admin/setup#"))
            let code = try server.setupCode, browser = PortalBrowser(server)
            #expect(try await browser.me() == 401)
            try await browser.setUp(code: code, name: "Ada Lovelace")
            let me = try await browser.send(.get, "/v1/administrator")
            #expect(
                me.body["name"] == "Ada Lovelace" && me.body["role"] == "owner"
                    && me.body["permissions"]?.arrayValue?.contains("readUsers") == true)
            for path in ["setup/options", "setup"] {
                let again = try await PortalBrowser(server).send(
                    .post, "/v1/administrator/\(path)", ["code": .string(code)])
                #expect(again.status == 404, "\(path)")
            }
            // The credential for the command line stays.
            #expect(try await server.admin.administrator().name == "Ada Lovelace")
            #expect(try await server.admin.administrators().first?.methods == ["password"])
            #expect(
                try await server.administratorEvents()
                    == ["administrator.set-up", "administrator.signed-in"])
            #expect(
                !server.logs.text.contains(code)
                    && !server.logs.text.contains(PortalBrowser.password))
        }
    }

    @Test("of many uses of one code at the same moment, one succeeds")
    func race() async throws {
        try await TestServer.run(in: scratch) { server in
            let code = try server.setupCode, browser = PortalBrowser(server)
            let options = try await browser.send(
                .post, "/v1/administrator/setup/options", ["code": .string(code)])
            let secret = try #require(
                options.body["authenticator_app"]?["secret"]?.stringValue)
            let body: JSONValue = [
                "code": .string(code), "password": .string(PortalBrowser.password),
                "one_time_code": .string(try browser.oneTimeCode(.init(base32: secret))),
            ]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 {
                    tasks.addTask {
                        try await PortalBrowser(server).send(
                            .post, "/v1/administrator/setup", body
                        ).status
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [204] + Array(repeating: 404, count: 5))
        }
    }

    @Test("a code expires after a day, and one that nobody made is refused")
    func expired() async throws {
        try await TestServer.run(in: scratch) { server in
            let browser = PortalBrowser(server), code = try server.setupCode
            func status(_ code: String, _ kind: String = "setup") async throws -> Int {
                try await browser.send(
                    .post, "/v1/administrator/\(kind)/options", ["code": .string(code)]
                ).status
            }
            #expect(try await status(code) == 200)
            #expect(try await status(code, "invitation") == 404)
            for wrong in ["", "x", String(repeating: "A", count: 43), code + "A"] {
                #expect(try await status(wrong) == 404, "\(wrong)")
            }
            server.time.advance(.seconds(24 * 3600 - 1))
            #expect(try await status(code) == 200)
            server.time.advance(.seconds(1))
            #expect(try await status(code) == 404)
            let made = try await server.admin.makeSetupCode(
                forAdministrator: try await server.admin.administrator().id)
            #expect(
                try await status(PortalBrowser.code(of: Sensitive(made.link))) == 200)
        }
    }

    @Test("who opened the link earlier knows no secret of the app that is set up later")
    func newSecretEachTime() async throws {
        try await TestServer.run(in: scratch) { server in
            let code = try server.setupCode
            func secret(_ browser: PortalBrowser) async throws -> String {
                let options = try await browser.send(
                    .post, "/v1/administrator/setup/options", ["code": .string(code)])
                return try #require(
                    options.body["authenticator_app"]?["secret"]?.stringValue)
            }
            let spy = PortalBrowser(server), browser = PortalBrowser(server)
            let seen = try await secret(spy)
            #expect(try await secret(browser) != seen)
            let refused = try await spy.send(
                .post, "/v1/administrator/setup",
                [
                    "code": .string(code), "password": .string(PortalBrowser.password),
                    "one_time_code": .string(try spy.oneTimeCode(.init(base32: seen))),
                ])
            #expect(
                refused.status == 400
                    && refused.body["errors"]?.arrayValue?.first?["field"] == "one_time_code")
            try await browser.setUp(code: code)
        }
    }

    @Test("bad names, passwords, and choices are refused and leave the code valid")
    func badInput() async throws {
        try await TestServer.run(in: scratch) { server in
            let code = try server.setupCode, browser = PortalBrowser(server)
            func refuse(_ body: [String: JSONValue]) async throws -> String? {
                let options = try await browser.send(
                    .post, "/v1/administrator/setup/options", ["code": .string(code)])
                let secret = try #require(
                    options.body["authenticator_app"]?["secret"]?.stringValue)
                var all: [String: JSONValue] = [
                    "code": .string(code), "password": .string(PortalBrowser.password),
                    "one_time_code": .string(try browser.oneTimeCode(.init(base32: secret))),
                    "name": "Ada",
                ]
                all.merge(body) { $1 }
                let answer = try await browser.send(
                    .post, "/v1/administrator/setup", .object(all.filter { $1 != .null }))
                #expect(answer.status == 400, "\(answer)")
                return answer.body["errors"]?.arrayValue?.first?["field"]?.stringValue
            }
            #expect(try await refuse(["name": ""]) == "name")
            #expect(try await refuse(["name": "a\nb"]) == "name")
            #expect(try await refuse(["name": "   "]) == "name")
            #expect(try await refuse(["password": "short"]) == "password")
            #expect(try await refuse(["password": "password123"]) == "password")
            #expect(
                try await refuse(["name": "Ada of London", "password": "ada of london"])
                    == "password")
            #expect(try await refuse(["one_time_code": "abc"]) == "one_time_code")
            #expect(try await refuse(["password": .null]) == nil)
            #expect(try await refuse(["credential": [:]]) == nil)
            try await browser.setUp(code: code, name: "Ada")
        }
    }

    @Test("an invitation works once, for the role that it names, and is listed until then")
    func invitation() async throws {
        try await TestServer.run(in: scratch) { server in
            let (owner, _) = try await server.owner()
            let made = try await owner.send(
                .post, "/v1/administrators/invitations", ["name": "Grace", "role": "auditor"])
            let link = try #require(made.body["link"]?.stringValue)
            #expect(made.status == 201 && link.contains("/admin/invitation#"))
            let listed = try await server.admin.administratorInvitations()
            #expect(listed.map(\.name) == ["Grace"] && listed.first?.link == nil)
            let own = try await server.admin.administrator().id
            #expect(listed.first?.invitedBy == own)

            let browser = PortalBrowser(server)
            let code = PortalBrowser.code(of: Sensitive(link))
            let renamed = try await browser.send(
                .post, "/v1/administrator/invitation",
                ["code": .string(code), "name": "Mallory", "password": "x", "one_time_code": "1"])
            #expect(
                renamed.status == 400
                    && renamed.body["errors"]?.arrayValue?.first?["field"] == "name")
            try await browser.setUp("invitation", code: code)
            let me = try await browser.send(.get, "/v1/administrator")
            #expect(me.body["role"] == "auditor" && me.body["name"] == "Grace")
            #expect(try await server.admin.administratorInvitations().isEmpty)
            let again = try await PortalBrowser(server).send(
                .post, "/v1/administrator/invitation/options", ["code": .string(code)])
            #expect(again.status == 404)
            // An auditor reads the list and invites nobody.
            #expect(
                try await browser.send(.get, "/v1/administrators/invitations").status == 200)
            for (method, path) in [
                (HTTPTransportRequest.Method.post, "/v1/administrators/invitations"),
                (.post, "/v1/administrators/\(me.body["id"]?.stringValue ?? "")/setup-code"),
                (.delete, "/v1/administrators/invitations/inv_x"),
            ] {
                let refused = try await browser.send(
                    method, path, ["name": "Eve", "role": "owner"])
                #expect(refused.status == 403, "\(path)")
            }
        }
    }

    @Test("revoked and expired invitations, and those of removed or demoted owners, are refused")
    func endedInvitations() async throws {
        try await TestServer.run(in: scratch) { server in
            let browser = PortalBrowser(server)
            func isOpen(_ made: AdministratorInvitationAnswer) async throws -> Bool {
                let code = PortalBrowser.code(of: Sensitive(try #require(made.link)))
                let status = try await browser.send(
                    .post, "/v1/administrator/invitation/options", ["code": .string(code)]
                ).status
                #expect([200, 404].contains(status))
                return status == 200
            }
            let revoked = try await server.admin.inviteAdministrator("One", as: .owner)
            #expect(try await isOpen(revoked) == true)
            try await server.admin.revokeAdministratorInvitation(revoked.id)
            #expect(try await isOpen(revoked) == false)
            let gone = await #expect(throws: MienError.self) {
                try await server.admin.revokeAdministratorInvitation(revoked.id)
            }
            #expect(gone?.problem?.code == .notFound)

            let old = try await server.admin.inviteAdministrator("Two", as: .owner)
            server.time.advance(.seconds(72 * 3600 - 1))
            #expect(try await isOpen(old) == true)
            server.time.advance(.seconds(1))
            #expect(try await isOpen(old) == false)

            let second = try await server.admin.createAdministrator("Second", as: .owner)
            let theirs = try MienAdmin(
                MienOptions(serverPath: server.adminAddress, retry: RetryPolicy(attempts: 1)),
                credential: Sensitive(try #require(second.credential)))
            let backdoor = try await theirs.inviteAdministrator("Three", as: .owner)
            #expect(try await isOpen(backdoor) == true)
            let own = try await server.admin.inviteAdministrator("Four", as: .auditor)
            _ = try await server.admin.changeAdministrator(second.id, to: .operator)
            #expect(try await isOpen(backdoor) == false)
            // It ended for good; a new one works while its author is an owner.
            _ = try await server.admin.changeAdministrator(second.id, to: .owner)
            #expect(try await isOpen(backdoor) == false)
            #expect(try await server.admin.administratorInvitations().map(\.id) == [own.id])
            let another = try await theirs.inviteAdministrator("Three", as: .owner)
            #expect(try await isOpen(another) == true)
            try await server.admin.removeAdministrator(second.id)
            #expect(try await isOpen(another) == false)
            #expect(try await isOpen(own) == true)
        }
    }

    @Test("nobody shares a name to sign in with, whatever its case")
    func names() async throws {
        try await TestServer.run(in: scratch) { server in
            _ = try await server.owner(named: "Ada Lovelace")
            for name in ["Ada Lovelace", "ADA  lovelace", " ada ＬＯＶＥＬＡＣＥ "] {
                let taken = await #expect(throws: MienError.self) {
                    try await server.admin.inviteAdministrator(name, as: .auditor)
                }
                #expect(taken?.problem?.code == .conflict, "\(name)")
            }
            _ = try await server.admin.inviteAdministrator("Grace", as: .auditor)
            let invited = await #expect(throws: MienError.self) {
                try await server.admin.inviteAdministrator("grace", as: .owner)
            }
            #expect(invited?.problem?.code == .conflict)
        }
    }

    @Test("a new setup code replaces every sign-in method and ends the sessions")
    func renewed() async throws {
        try await TestServer.run(in: scratch) { server in
            let (lost, secret) = try await server.owner()
            #expect(try await lost.me() == 200)
            let id = try await server.admin.administrator().id
            let (_, other) = try await server.admin(as: .owner)
            let first = try await other.makeSetupCode(forAdministrator: id)
            let second = try await other.makeSetupCode(forAdministrator: id)
            let browser = PortalBrowser(server)
            let superseded = try await browser.send(
                .post, "/v1/administrator/setup/options",
                ["code": .string(PortalBrowser.code(of: Sensitive(first.link)))])
            #expect(superseded.status == 404)
            let fresh = try await browser.setUp(
                code: PortalBrowser.code(of: Sensitive(second.link)), name: "Ada")
            #expect(try await lost.me() == 401)
            server.time.advance(.seconds(60))
            #expect(try await PortalBrowser(server).signIn("Ada", secret).status == 401)
            #expect(try await PortalBrowser(server).signIn("Ada", fresh).status == 204)
        }
    }

    @Test("using a setup code ends the credential, unless its maker keeps it")
    func credentials() async throws {
        try await TestServer.run(in: scratch) { server in
            for keeps in [false, true] {
                let (made, admin) = try await server.admin(as: .operator)
                let code = try await server.admin.makeSetupCode(
                    forAdministrator: made.id, keepsCredential: keeps)
                #expect(
                    try await server.admin.setupCodes().first { $0.administrator == made.id }?
                        .endsCredential == !keeps)
                _ = try await admin.apps()
                try await PortalBrowser(server).setUp(
                    code: PortalBrowser.code(of: Sensitive(code.link)), name: "Grace \(keeps)")
                if keeps {
                    _ = try await admin.apps()
                } else {
                    let refused = await #expect(throws: MienError.self) {
                        _ = try await admin.apps()
                    }
                    #expect(refused?.problem?.code == .invalidCredentials)
                }
            }
            // The server's own code, of the first start, leaves the credential that it printed.
            _ = try await server.owner()
            _ = try await server.admin.administrator()
        }
    }

    @Test("what an owner made ends when a setup code replaces the credential, unless that is kept")
    func offersOfRenewed() async throws {
        try await TestServer.run(in: scratch) { server in
            for keeps in [false, true] {
                let (owner, theirs) = try await server.admin(as: .owner)
                let made = try await server.admin.createAdministrator("Grace", as: .operator)
                let invited = try await theirs.inviteAdministrator("Heidi \(keeps)", as: .owner)
                let setup = try await theirs.makeSetupCode(forAdministrator: made.id)
                let links: [(String, String?)] = [
                    ("invitation", invited.link), ("setup", setup.link),
                ]
                let code = try await server.admin.makeSetupCode(
                    forAdministrator: owner.id, keepsCredential: keeps)
                try await PortalBrowser(server).setUp(
                    code: PortalBrowser.code(of: Sensitive(code.link)), name: "Ada \(keeps)")
                for (kind, link) in links {
                    let code = PortalBrowser.code(of: Sensitive(try #require(link)))
                    let status = try await PortalBrowser(server).send(
                        .post, "/v1/administrator/\(kind)/options", ["code": .string(code)]
                    ).status
                    #expect(status == (keeps ? 200 : 404), "\(kind)")
                }
            }
        }
    }

    @Test("an owner who has sign-in methods gets a setup code from another owner only")
    func ownSetupCode() async throws {
        try await TestServer.run(in: scratch) { server in
            let id = try await server.admin.administrator().id
            // Without methods, it is the way to the first ones.
            _ = try await server.admin.makeSetupCode(forAdministrator: id)
            let code = try await server.admin.makeSetupCode(forAdministrator: id)
            let browser = PortalBrowser(server)
            try await browser.setUp(
                code: PortalBrowser.code(of: Sensitive(code.link)), name: "Ada")
            let refused = await #expect(throws: MienError.self) {
                _ = try await server.admin.makeSetupCode(forAdministrator: id)
            }
            #expect(refused?.problem?.code == .conflict)
            #expect(
                try await browser.send(.post, "/v1/administrators/\(id)/setup-code").status == 409)
            let (_, other) = try await server.admin(as: .owner)
            _ = try await other.makeSetupCode(forAdministrator: id)
        }
    }

    @Test("setup codes are listed without the code, and revoked")
    func listedCodes() async throws {
        try await TestServer.run(in: scratch) { server in
            let me = try await server.admin.administrator()
            // That of the first start.
            let first = try #require(try await server.admin.setupCodes().first)
            #expect(first.administrator == me.id && first.madeBy == nil && !first.endsCredential)
            server.time.advance(.seconds(1))
            let (made, _) = try await server.admin(as: .reviewer)
            let link = try await server.admin.makeSetupCode(forAdministrator: made.id).link
            let listed = try await server.admin.setupCodes()
            #expect(listed.map(\.administrator) == [me.id, made.id])
            #expect(listed.last?.madeBy == me.id)
            try await server.admin.revokeSetupCode(ofAdministrator: made.id)
            let gone = try await PortalBrowser(server).send(
                .post, "/v1/administrator/setup/options",
                ["code": .string(PortalBrowser.code(of: Sensitive(link)))])
            #expect(gone.status == 404)
            for id in [made.id, "adm_nobody"] {
                let nothing = await #expect(throws: MienError.self) {
                    try await server.admin.revokeSetupCode(ofAdministrator: id)
                }
                #expect(nothing?.problem?.code == .notFound, "\(id)")
            }
            #expect(
                try await server.administratorEvents().contains("administrator.setup-code-revoked"))
        }
    }

    @Test("a setup does not take the name of somebody who is invited")
    func promisedNames() async throws {
        try await TestServer.run(in: scratch) { server in
            let invited = try await server.admin.inviteAdministrator("Grace", as: .auditor)
            let code = try server.setupCode
            func setUp(_ name: String) async throws -> Int {
                let browser = PortalBrowser(server)
                let options = try await browser.send(
                    .post, "/v1/administrator/setup/options", ["code": .string(code)])
                let secret = try OTPSecret(
                    base32: try #require(
                        options.body["authenticator_app"]?["secret"]?.stringValue))
                return try await browser.send(
                    .post, "/v1/administrator/setup",
                    [
                        "code": .string(code), "password": .string(PortalBrowser.password),
                        "one_time_code": .string(try browser.oneTimeCode(secret)),
                        "name": .string(name),
                    ]
                ).status
            }
            #expect(try await setUp("GRACE") == 409)
            #expect(try await setUp("Ada") == 204, "the code stays valid")
            try await PortalBrowser(server).setUp(
                "invitation",
                code: PortalBrowser.code(of: Sensitive(try #require(invited.link))))
        }
    }
}
