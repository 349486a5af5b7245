import MienAPI
import MienCore
import Testing

@testable import MienClient

@Suite("The admin API")
struct AdminTests {
    private let user = UserID("usr_1")!, app = AppID("shop")!,
        authenticator = AuthenticatorID("aut_1")!, journey = JourneyID("face-login")!

    private func admin(_ transport: ScriptedTransport) throws -> MienAdmin {
        try MienAdmin(
            options(transport), credential: Sensitive("adm_1.secret"), sleep: Naps().sleep)
    }

    @Test("each call sends the right request")
    func addresses() async throws {
        let appAnswer = AppAnswer(
            id: "shop", name: "Shop", type: .known(.public), isFirstParty: true, settings: [:],
            createdAt: 0)
        let userAnswer = UserAnswer(
            id: "usr_1", externalID: nil, username: "ada", email: nil, state: .known(.active),
            attributes: [:], createdAt: 0)
        let version = JourneyVersionAnswer(
            id: "face-login", version: 2, state: .known(.draft), title: "t", updatedAt: 0)
        let done = ScriptedTransport.Turn.answer(HTTPTransportResponse(status: 204))
        let entry = AuditPosition(number: 7, hash: String(repeating: "A", count: 43))
        let calls: [(String, ScriptedTransport.Turn, (MienAdmin) async throws -> Void)] = [
            (
                "GET apps", .json(Page(items: [appAnswer])),
                {
                    let found = try await $0.apps()
                    #expect(found == [appAnswer])
                }
            ),
            ("GET apps/shop", .json(appAnswer), { _ = try await $0.app(app) }),
            (
                "POST apps", .json(appAnswer, status: 201),
                { _ = try await $0.createApp(AppRequest(name: "Shop")) }
            ),
            (
                "PUT apps/shop", .json(appAnswer),
                { _ = try await $0.updateApp(app, AppRequest(name: "Shop")) }
            ),
            ("POST apps/shop/secret", .json(appAnswer), { _ = try await $0.renewSecret(app) }),
            ("DELETE apps/shop", done, { try await $0.deleteApp(app) }),
            (
                "GET users", .json(Page(items: [userAnswer], next: "usr_1")),
                {
                    let page = try await $0.users()
                    #expect(page.next == "usr_1")
                }
            ),
            (
                "GET users?after=usr_1", .json(Page<UserAnswer>(items: [])),
                { _ = try await $0.users(after: user) }
            ),
            (
                "GET users?identifier=ada%40example.org", .json(Page<UserAnswer>(items: [])),
                {
                    let found = try await $0.findUser("ada@example.org")
                    #expect(found == nil)
                }
            ),
            ("GET users/usr_1", .json(userAnswer), { _ = try await $0.user(user) }),
            (
                "POST users", .json(userAnswer, status: 201),
                { _ = try await $0.createUser(UserRequest(username: "ada")) }
            ),
            (
                "PATCH users/usr_1", .json(userAnswer),
                { _ = try await $0.updateUser(user, UserRequest(state: .suspended)) }
            ),
            ("DELETE users/usr_1", done, { try await $0.deleteUser(user) }),
            (
                "GET users/usr_1/authenticators", .json(Page<AuthenticatorAnswer>(items: [])),
                { _ = try await $0.authenticators(of: user) }
            ),
            (
                "DELETE users/usr_1/authenticators/aut_1", done,
                { try await $0.removeAuthenticator(authenticator, of: user) }
            ),
            (
                "POST users/usr_1/authenticators/aut_1/unlock", done,
                { try await $0.unlock(authenticator, of: user) }
            ),
            (
                "POST users/usr_1/authenticators/aut_1/lock", done,
                { try await $0.lock(authenticator, of: user) }
            ),
            (
                "GET users/usr_1/consents", .json(Page<ConsentAnswer>(items: [])),
                { _ = try await $0.consents(of: user) }
            ),
            (
                "DELETE users/usr_1/consents/shop", done,
                { try await $0.withdrawConsent(of: user, to: app) }
            ),
            (
                "GET journeys", .json(Page(items: [version])),
                {
                    let found = try await $0.journeys()
                    #expect(found == [version])
                }
            ),
            (
                "GET journeys/face-login/versions/2", .json(JSONValue.object(["id": "face-login"])),
                { _ = try await $0.journey(journey, version: 2) }
            ),
            (
                "PUT journeys/face-login/versions/2", .json(version, status: 201),
                { _ = try await $0.putJourney(journey, version: 2, definition: [0x7b, 0x7d]) }
            ),
            (
                "POST journeys/face-login/versions/2/publish", .json(version),
                { _ = try await $0.publishJourney(journey, version: 2) }
            ),
            (
                "POST journeys/face-login/versions/2/retire", .json(version),
                { _ = try await $0.retireJourney(journey, version: 2) }
            ),
            (
                "GET audit?after=7&user=usr_1", .json(Page<AuditEntryAnswer>(items: [])),
                { _ = try await $0.audit(after: 7, user: user) }
            ),
            (
                "GET audit/segment?after=7", .json(AuditSegmentAnswer(start: entry, entries: [])),
                {
                    let segment = try await $0.auditSegment(after: 7)
                    #expect(segment.start == entry)
                }
            ),
            (
                "POST audit/prune", .json(AuditPruneAnswer(removed: 7, start: entry)),
                {
                    let answer = try await $0.pruneAudit(through: entry)
                    #expect(answer.removed == 7)
                }
            ),
            (
                "GET master-keys", .json(MasterKeysAnswer(keys: [], isSealing: false)),
                {
                    let answer = try await $0.masterKeys()
                    #expect(!answer.isSealing)
                }
            ),
            (
                "POST master-keys",
                .json(MasterKeysAnswer(keys: [], isSealing: true), status: 201),
                {
                    let answer = try await $0.rotateMasterKey()
                    #expect(answer.isSealing)
                }
            ),
            (
                "DELETE master-keys/1", done,
                { try await $0.removeMasterKey(version: 1) }
            ),
            (
                "GET audit/verify", .json(AuditVerdictAnswer(isWhole: true, entries: 3)),
                {
                    let verdict = try await $0.verifyAudit()
                    #expect(verdict.isWhole)
                }
            ),
        ]
        for (expected, turn, call) in calls {
            let transport = ScriptedTransport([turn])
            try await call(try admin(transport))
            let request = try #require(transport.requests.first)
            #expect(
                "\(request.method.rawValue) \(request.url)"
                    == expected.replacing(
                        " ", with: " https://login.example/v1/", maxReplacements: 1))
            #expect(request.headers["authorization"] == "Bearer adm_1.secret")
        }
    }

    @Test(
        "a request that creates something is repeated only if it was turned away"
    )
    func notTwice() async throws {
        let transport = ScriptedTransport([.fault(.interrupted)])
        await #expect(throws: MienError(.networkError, "")) {
            try await admin(transport).createUser(UserRequest(username: "ada"))
        }
        #expect(transport.requests.count == 1)
        let busy = ScriptedTransport([.problem(.unavailable), .problem(.conflict)])
        do { _ = try await admin(busy).createUser(UserRequest(username: "ada")) } catch let error
            as MienError
        {
            #expect(error.problem?.code == .conflict)
        }
        #expect(busy.requests.count == 2)
    }

    @Test("a repeated deletion succeeds if the first response was lost")
    func deleted() async throws {
        let transport = ScriptedTransport([.fault(.timedOut), .problem(.notFound)])
        try await admin(transport).deleteUser(user)
        await #expect(throws: MienError(.serverError, "")) {
            try await admin(ScriptedTransport([.problem(.notFound)])).deleteUser(user)
        }
    }

    @Test("wrong credentials are refused")
    func wrong() async throws {
        await #expect(throws: MienError(.invalidCredentials, "")) {
            try await admin(ScriptedTransport([.problem(.invalidCredentials)])).apps()
        }
    }
}
