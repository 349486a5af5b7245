import Foundation
import MienAPI
import MienClient
import MienCore
import MienSimulation
import MienTesting
import Synchronization
import Testing

/// The calls of eight clients to three servers between two faults and the check that follows: with a user,
/// a sign-in, and journey tokens of their own, so that histories stay short.
final class ManyRound: Sendable {
    static let clients = 8
    private static let password = AttackedServer.password

    /// The lock of passwords as clients see it: a stranger cannot tell whether a guess was counted.
    /// After five guesses it is closed until an administrator opens it, whatever the time is.
    struct Locks: SequentialModel {
        /// The settings of the app for which the model holds.
        static let request = AppRequest(
            name: "default",
            settings: [
                "locks": [
                    "password": [
                        "failed_attempts": 5, "lockout_seconds": 1, "disable_after": 5,
                    ]
                ]
            ])
        private let model = LockModel(
            failedAttempts: 5, lockoutMilliseconds: 1000, disableAfter: 5)
        var initial: LockModel.State { model.initial }
        func key(of call: LockModel.Call) -> String { call.subject }
        func apply(_ call: LockModel.Call, to state: inout LockModel.State) -> LockModel.Reply {
            model.apply(call, to: &state)
        }
        func allows(_ observed: LockModel.Reply, for actual: LockModel.Reply) -> Bool {
            observed == actual || (observed == .done && [.counted, .refused].contains(actual))
        }
    }

    /// Counts of all rounds.
    struct Totals: Sendable {
        var calls = 0, answers = 0, users = 0, families = 0, exchanges = 0, invitations = 0
        /// How often somebody read that a lock was closed.
        var closedLocks = 0

        mutating func add(_ other: Totals) {
            calls += other.calls
            answers += other.answers
            users += other.users
            families += other.families
            exchanges += other.exchanges
            invitations += other.invitations
            closedLocks += other.closedLocks
        }
    }

    private let servers: ManyServers
    private let name: String
    private let user: UserID
    private let password: AuthenticatorID
    private let journeyTokens: [String]
    private let isOver = Atomic(false)
    private let generator: Mutex<SeededGenerator>
    private let number = Atomic(0)

    private let locks = HistoryRecorder<LockModel.Call, LockModel.Reply>()
    private let tokens = HistoryRecorder<SingleUseModel.Call, SingleUseModel.Reply>()
    private let families = HistoryRecorder<RefreshModel.Call, RefreshModel.Reply>()
    /// The refresh tokens that any client has seen, by generation.
    private let known: Mutex<[String]>
    /// Names of users whose creation was acknowledged.
    let created = Mutex<[String]>([])
    /// How often guesses were answered without a verdict, by status and code.
    let unjudged = Mutex<[String: Int]>([:])
    private let organization: OrganizationID
    /// Addresses whose invitation was acknowledged. They get one email each, of whichever server.
    let invited = Mutex<[String]>([])

    /// Makes the objects of a round. All servers run.
    init(_ servers: ManyServers, round: Int) async throws {
        self.servers = servers
        name = "round\(round)"
        generator = Mutex(TestSeed.generator(UInt64(900_000 + round)))
        let server = try #require(servers.random)
        user = try await server.makeUser(name)
        let found = try await server.admin.authenticators(of: user)
        password = try #require(
            found.first { $0.type == .known(.password) }.flatMap { AuthenticatorID($0.id) })
        let answer = try await server.signIn(name)
        known = Mutex([try #require(answer["refresh_token"])])
        var made: [String] = []
        for _ in 0..<3 { made.append(try await server.journeyToken(name)) }
        journeyTokens = made
        let organization = try await server.admin.createOrganization(
            OrganizationRequest(name: name))
        self.organization = try #require(OrganizationID(organization.id))
    }

    /// Runs the clients while `fault` happens, and longer: until enough was answered, also on a slow
    /// machine, or a minute has passed.
    ///
    /// - Parameter untilLocked: Whether a client must have seen a closed lock.
    func run(untilLocked: Bool = false, _ fault: @escaping @Sendable () async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 1...Self.clients {
                group.addTask { [self] in
                    while !isOver.load(ordering: .relaxed) { await act(client) }
                }
            }
            group.addTask { [self] in
                defer { isOver.store(true, ordering: .relaxed) }
                try await Task.sleep(for: .milliseconds(random(50...400)))
                try await fault()
                try await Task.sleep(for: .milliseconds(random(50...300)))
                for _ in 0..<6000 {
                    let done = progress
                    if done.answers > 20, done.users > 1, done.closedLocks > 0 || !untilLocked {
                        break
                    }
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            try await group.waitForAll()
        }
    }

    /// The counts of what was recorded so far.
    private var progress: Totals {
        let histories = (locks.history, tokens.history, families.history)
        return Totals(
            calls: histories.0.operations.count + histories.1.operations.count
                + histories.2.operations.count,
            answers: histories.0.operations.count { $0.outcome != nil }
                + histories.1.operations.count { $0.outcome != nil }
                + histories.2.operations.count { $0.outcome != nil },
            users: created.withLock { $0.count }, families: known.withLock { $0.count } - 1,
            exchanges: histories.1.operations.count { $0.outcome?.reply == .taken },
            invitations: invited.withLock { $0.count },
            closedLocks: histories.0.operations.count { $0.outcome?.reply == .total(5) })
    }

    /// Reads what is left, and judges everything.
    ///
    /// - Returns: what is wrong; empty if nothing is.
    func judge() async throws -> (faults: [String], totals: Totals) {
        var faults: [String] = []
        // Each server answers the same.
        for number in 0..<ManyServers.count {
            let server = try #require(servers[number])
            let read = locks.begin(LockModel.Call(name, .total, at: 0), client: 0)
            let list = try await server.admin.authenticators(of: user)
            let total = try #require(list.first { $0.id == password.text }?.totalFailures)
            locks.end(read, .total(total))
            for token in journeyTokens {
                await exchange(token, at: server, client: 0)
            }
            await refresh(at: server, client: 0, generation: known.withLock { $0.count - 1 })
        }
        let server = try #require(servers.random)
        let names = created.withLock { $0 }
        for name in names {
            guard let found = try await server.admin.findUser(name) else {
                faults.append("user \(name) was acknowledged and is missing")
                continue
            }
            let entries = try await server.admin.audit(
                user: UserID(found.id), event: "user.created")
            if entries.items.count != 1 {
                faults.append("user \(name) has \(entries.items.count) entries of its creation")
            }
        }
        if try await !server.admin.verifyAudit().isWhole {
            faults.append("the audit log is broken")
        }
        func check<Model: SequentialModel>(
            _ model: Model, _ history: History<Model.Call, Model.Reply>
        ) {
            let verdict = LinearizabilityChecker(model).check(history)
            if !verdict.isLinearizable { faults.append("\(verdict)") }
        }
        check(Locks(), locks.history)
        check(SingleUseModel(initially: .fresh), tokens.history)
        check(RefreshModel(), families.history)
        return (faults, progress)
    }

    // MARK: Clients

    private func act(_ client: Int) async {
        guard let server = servers.random else {
            try? await Task.sleep(for: .milliseconds(20))
            return
        }
        switch random(0...99) {
        case 0..<25:
            await exchange(
                journeyTokens[random(0...journeyTokens.count - 1)], at: server, client: client)
        case 25..<50:
            let count = known.withLock { $0.count }
            // Rarely an old token, which ends the sign-in.
            let age = random(0...39) == 0 ? 1 : 0
            await refresh(at: server, client: client, generation: max(0, count - 1 - age))
        case 50..<70: await guess(client)
        case 70..<75: await readFailures(at: server, client: client)
        case 75..<80: await unlock(at: server, client: client)
        case 80..<85: await invite(at: server)
        default: await createUser(at: server, client: client)
        }
        try? await Task.sleep(for: .milliseconds(random(0...30)))
    }

    private func exchange(_ token: String, at server: AttackedServer, client: Int) async {
        let call = tokens.begin(
            .take("token \(journeyTokens.firstIndex(of: token)!)"), client: client)
        let answer = try? await send(
            to: server, "/oauth2/token",
            [
                ("grant_type", TokenClient.exchange), ("client_id", "default_application"),
                ("subject_token", token), ("subject_token_type", TokenClient.jwt),
            ])
        if let reply = Self.reply(answer, SingleUseModel.Reply.taken, .refused) {
            tokens.end(call, reply)
        }
    }

    private func refresh(at server: AttackedServer, client: Int, generation: Int) async {
        let (token, isNewest) = known.withLock { ($0[generation], generation == $0.count - 1) }
        // Clients with a mark of their own may repeat the request. The newest token is used with one,
        // because only the time tells whether an unmarked request is a repeated one.
        let mark = isNewest || random(0...1) == 0 ? client : nil
        let call = families.begin(
            RefreshModel.Call(name, .use(generation, mark: mark)), client: client)
        var fields = [
            ("grant_type", "refresh_token"), ("client_id", "default_application"),
            ("refresh_token", token),
        ]
        if let mark { fields.append(("repeat_key", "the repeat key of client \(mark)")) }
        let answer = try? await send(to: server, "/oauth2/token", fields)
        guard let reply = Self.reply(answer, RefreshModel.Reply.token(generation + 1), .refused)
        else { return }
        if reply != .refused, let next = answer?.body["refresh_token"]?.stringValue {
            known.withLock { if $0.count == generation + 1 { $0.append(next) } }
        }
        families.end(call, reply)
    }

    /// Begins a journey at one server and answers at another.
    private func guess(_ client: Int) async {
        guard let first = servers.random,
            let begun = try? await send(
                to: first, "/v1/journeys/password-login/start",
                json: ["client_id": "default_application"]),
            let state = begun.body["state"], let second = servers.random
        else { return }
        let call = locks.begin(LockModel.Call(name, .begin, at: 0), client: client)
        let answer = try? await send(
            to: second, "/v1/journeys/respond",
            json: [
                "state": state, "option": "password",
                "data": ["username": .string(name), "password": "not the password"],
            ])
        guard let answer else { return }
        // Only an answer of the journey is a verdict.
        if answer.status == 200 { return locks.end(call, .done) }
        let code = answer.body["code"]?.stringValue ?? "-"
        unjudged.withLock { $0["\(answer.status) \(code)", default: 0] += 1 }
    }

    private func readFailures(at server: AttackedServer, client: Int) async {
        let call = locks.begin(LockModel.Call(name, .total, at: 0), client: client)
        guard let list = try? await server.admin.authenticators(of: user),
            let total = list.first(where: { $0.id == password.text })?.totalFailures
        else { return locks.drop(call) }
        locks.end(call, .total(total))
    }

    private func unlock(at server: AttackedServer, client: Int) async {
        let call = locks.begin(LockModel.Call(name, .release, at: 0), client: client)
        guard (try? await server.admin.unlock(password, of: user)) != nil else { return }
        locks.end(call, .done)
    }

    private func createUser(at server: AttackedServer, client: Int) async {
        let name = "\(name)user\(number.add(1, ordering: .relaxed).newValue)"
        guard (try? await server.admin.createUser(UserRequest(username: name))) != nil else {
            return
        }
        created.withLock { $0.append(name) }
    }

    private func invite(at server: AttackedServer) async {
        let address = "\(name)guest\(number.add(1, ordering: .relaxed).newValue)@example.org"
        guard (try? await server.admin.invite(address, to: organization)) != nil else { return }
        invited.withLock { $0.append(address) }
    }

    // MARK: HTTP

    private struct Response {
        let status: Int
        let body: JSONValue
    }

    /// - Returns: the reply; `nil` if the server did not say what happened.
    private static func reply<Reply>(_ answer: Response?, _ done: Reply, _ refused: Reply) -> Reply?
    {
        switch answer?.status {
        case 200: done
        case 400 where answer?.body["error"]?.stringValue == "invalid_grant": refused
        default: nil
        }
    }

    private func send(to server: AttackedServer, _ path: String, _ fields: [(String, String)])
        async throws -> Response
    {
        let text = fields.map { "\(TokenClient.encoded($0))=\(TokenClient.encoded($1))" }
            .joined(separator: "&")
        return try await send(
            to: server, path, "application/x-www-form-urlencoded", Array(text.utf8))
    }

    private func send(to server: AttackedServer, _ path: String, json: JSONValue) async throws
        -> Response
    {
        try await send(to: server, path, "application/json", Array(JSONText.write(json).utf8))
    }

    private func send(
        to server: AttackedServer, _ path: String, _ type: String, _ body: [UInt8]
    ) async throws -> Response {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: .post, url: server.url(path), headers: ["content-type": type], body: body,
                timeout: .seconds(10)))
        return Response(
            status: answer.status, body: (try? JSONText.parse(answer.body)) ?? .null)
    }

    private func random(_ range: ClosedRange<Int>) -> Int {
        generator.withLock { Int.random(in: range, using: &$0) }
    }
}
