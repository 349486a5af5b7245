import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Synchronization
import Testing

/// Attempts by one address to monopolize the server's expensive work.
///
/// A single password worker and an expensive hash make the order of service visible: clients are
/// answered in the order in which they are served.
extension HostileTests {
    @Test(
        "a stranger makes everybody else wait by sending 100 passwords at once from one address"
    )
    func floodOfPasswords() async throws {
        let scene = try await FloodScene()
        let user = try await RawConnection.open(scene.server.address, from: "127.0.0.3")
        let answer = try await scene.flood {
            try await scene.signIn(on: user, start: scene.start(on: user))
        }
        let json = try answer.json
        #expect(answer.status == 200 && json["token"] != nil, "\(json)")
        #expect(
            scene.servedBefore < 10,
            "\(scene.servedBefore) guesses of the attacker were evaluated before the user's password"
        )
        #expect(scene.refusals.allSatisfy { $0.headers["retry-after"] != nil })
    }

    @Test(
        "a stranger makes a user behind the same address wait, although the user's device is known")
    func floodBehindOneAddress() async throws {
        let scene = try await FloodScene()
        let user = try await RawConnection.open(scene.server.address, from: "127.0.0.2")
        let first = try await scene.signIn(on: user, start: scene.start(on: user))
        let device = try #require(try first.json["device_token"]?.stringValue)
        let answer = try await scene.flood {
            try await scene.signIn(on: user, start: scene.start(on: user, device: device))
        }
        let json = try answer.json
        #expect(answer.status == 200 && json["token"] != nil, "\(json)")
        #expect(
            scene.servedBefore < 10,
            "\(scene.servedBefore) guesses of the attacker were evaluated before the user's password"
        )
    }

    @Test("a stranger leaves work behind by hanging up")
    func hangingUp() async throws {
        // An expensive hash: few guesses are evaluated while the rest wait.
        let scene = try await FloodScene(passes: 8)
        let user = try await RawConnection.open(scene.server.address, from: "127.0.0.2")
        let start = try await scene.start(on: user)
        for connection in try await scene.sendGuesses(40) { try await connection.close() }
        let before = try await scene.refusedPasswords()
        // The user names another account from the same address. Leftover work would be served
        // first.
        let answer = try await scene.signIn(on: user, start: start)
        let json = try answer.json
        #expect(json["token"] != nil, "\(json)")
        let judged = try await scene.refusedPasswords() - before
        #expect(
            before < 30 && judged < 10,
            "\(before) guesses were evaluated before the clients hung up, \(judged) after that")
        scene.server.signal(SIGKILL)
    }
}

/// A server with one slow password worker, a user, and an attacker at 127.0.0.2.
private final class FloodScene: Sendable {
    private static let guesses = 100
    private static let password = "a password nobody has"

    let server: ServeProcess
    private let scratch: ScratchFolder
    private let attackers = Mutex<[RawAnswer]>([])
    private let before = Mutex(0)
    private let hasEnded = Mutex(false)

    init(passes: Int = 1) async throws {
        scratch = try ScratchFolder()
        server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_PASSWORD_WORKERS": "1", "MIEN_PASSWORD_MEMORY_KIB": "65536",
                "MIEN_PASSWORD_PASSES": "\(passes)",
                "MIEN_LIMIT_QUEUE_WAIT_SECONDS": "60",
                "MIEN_LIMIT_GUESSES_PER_MINUTE": "10000", "MIEN_LIMIT_STARTS_PER_MINUTE": "10000",
            ])
        _ = try await server.admin(#require(server.credential)).createUser(
            UserRequest(username: "ada", password: Self.password))
    }

    /// The number of the attacker's guesses that were evaluated before the user had a response.
    var servedBefore: Int { before.withLock { $0 } }
    var refusals: [RawAnswer] { attackers.withLock { $0.filter { $0.status == 503 } } }

    func start(on connection: RawConnection, device: String? = nil) async throws -> String {
        let token = device.map { #", "device_token": "\#($0)""# } ?? ""
        let answer = try await connection.post(
            "/v1/journeys/password-login/start", #"{"client_id": "default_application"\#(token)}"#)
        return try #require(try answer.json["state"]?.stringValue, "\(answer.status)")
    }

    func signIn(
        on connection: RawConnection, start: String, _ name: String = "ada",
        _ password: String = password
    ) async throws -> RawAnswer {
        try await connection.post("/v1/journeys/respond", Self.body(start, name, password))
    }

    /// Runs `body` while the attacker's guesses fill its share of the queue, then kills the server: the
    /// evaluation of all others would show nothing more.
    func flood(_ body: @Sendable () async throws -> RawAnswer) async throws -> RawAnswer {
        var open: [(RawConnection, String)] = []
        for _ in 0..<Self.guesses {
            let connection = try await RawConnection.open(server.address, from: "127.0.0.2")
            open.append((connection, try await start(on: connection)))
        }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, (connection, start)) in open.enumerated() {
                tasks.addTask {
                    do {
                        let answer = try await self.signIn(
                            on: connection, start: start, "nobody\(number)", "not the password")
                        self.attackers.withLock { $0.append(answer) }
                    } catch { if !self.hasEnded.withLock({ $0 }) { throw error } }
                }
            }
            // The first refusal shows that the attacker's share is full.
            while refusals.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let answer = try await body()
            before.withLock { $0 = attackers.withLock { $0.count { $0.status == 200 } } }
            hasEnded.withLock { $0 = true }
            server.signal(SIGKILL)
            try await tasks.waitForAll()
            return answer
        }
    }

    /// Sends guesses concurrently without waiting for responses.
    func sendGuesses(_ count: Int) async throws -> [RawConnection] {
        var open: [(connection: RawConnection, request: String)] = []
        for number in 0..<count {
            let connection = try await RawConnection.open(server.address, from: "127.0.0.2")
            let body = Self.body(
                try await start(on: connection), "nobody\(number)", "not the password")
            let head =
                "POST /v1/journeys/respond HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            open.append((connection, "\(head)content-length: \(body.utf8.count)\r\n\r\n\(body)"))
        }
        for (connection, request) in open { try await connection.send(request) }
        return open.map(\.connection)
    }

    func refusedPasswords() async throws -> Int {
        let metrics = try await RawConnection.open(server.adminAddress).request("GET", "/metrics")
        let text = String(decoding: metrics.body, as: UTF8.self)
        return text.firstMatch(
            of: /mien_authentications_total\{type="password",result="refused"\} (\d+)/
        ).flatMap { Int($0.1) } ?? 0
    }

    private static func body(_ state: String, _ name: String, _ password: String) -> String {
        #"{"state": "\#(state)", "option": "password", "data": {"username": "\#(name)", "password": "\#(password)"}}"#
    }
}
