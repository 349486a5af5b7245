import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// `mien serve` seen from the system: files, signals, ports, logs, and exit statuses.
@Suite("The server as a process", .enabled(if: Installed.isThere, Installed.reason))
struct ServerProcessTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: scratch("data/" + path).path)[
            .posixPermissions] as? Int
    }

    /// The size of the database's write-ahead log, in bytes.
    private var logSize: Int {
        (try? FileManager.default.attributesOfItem(atPath: scratch("data/mien.sqlite-wal").path)[
            .size] as? Int) ?? 0
    }

    @Test(
        "the first start prints the credential once; only the owner can read the data and the key")
    func firstStart() async throws {
        let first = try await ServeProcess.start(in: scratch),
            credential = try #require(first.credential)
        let text = credential.use { $0 }
        #expect(try first.out.components(separatedBy: text).count == 2 && !first.err.contains(text))
        #expect(try mode("") == 0o700 && mode("master.key") == 0o600)
        for file in try FileManager.default.contentsOfDirectory(atPath: scratch("data").path)
        where file.hasPrefix("mien.sqlite") {
            let bits = try #require(try mode(file))
            #expect(bits & 0o022 == 0, "\(file)")
            #expect(
                try Data(contentsOf: scratch("data/" + file)).firstRange(
                    of: Data(text.split(separator: ".")[1].utf8)) == nil, "only its hash is kept"
            )
        }
        #expect(try await first.admin(credential).apps().map(\.id) == ["default_application"])
        #expect(await first.stop() == 0)

        let second = try await ServeProcess.start(in: scratch)
        #expect(
            try second.credential == nil && !second.out.contains("adm_")
                && !second.err.contains("adm_"))
        #expect(try await second.admin(credential).apps().map(\.id) == ["default_application"])
        #expect(await second.stop() == 0)
        #expect(logSize == 0, "clean shutdown: the write-ahead log is merged")
    }

    @Test("a lost admin credential is renewed on the machine, and the old one stops working")
    func renewedCredential() async throws {
        let first = try await ServeProcess.start(in: scratch), lost = try #require(first.credential)
        #expect(await first.stop() == 0)

        let second = try await ServeProcess.start(
            in: scratch, arguments: ["--renew-admin-credential"])
        let renewed = try #require(second.credential), oldAdmin = try second.admin(lost),
            admin = try second.admin(renewed)
        #expect(renewed.use { $0 } != lost.use { $0 })
        await #expect(throws: (any Error).self) { try await oldAdmin.apps() }
        #expect(try await admin.apps().map(\.id) == ["default_application"])
        #expect(try await admin.audit().items.count { $0.event == "server.admin-renewed" } == 1)
        #expect(await second.stop() == 0)

        let third = try await ServeProcess.start(in: scratch)
        #expect(third.credential == nil)
        #expect(try await third.admin(renewed).apps().count == 1)
        #expect(await third.stop() == 0)
    }

    @Test(
        "on SIGTERM, the server finishes requests in progress, accepts no more, and exits with 0",
        arguments: [SIGTERM, SIGINT])
    func graceful(signal: Int32) async throws {
        let server = try await ServeProcess.start(in: scratch, ["MIEN_SHUTDOWN_SECONDS": "60"])
        let credential = try #require(server.credential).use { $0 }
        let body = #"{"username": "ada", "password": "a password nobody has"}"#
        let idle = try await RawConnection.open(server.address)
        #expect(try await idle.request("GET", "/healthz").status == 200)
        let busy = try await RawConnection.open(server.adminAddress)
        let known = ["authorization": "Bearer \(credential)"]
        #expect(try await busy.request("GET", "/v1/apps", known).status == 200)
        let port = try #require(URL(string: server.adminAddress)?.port)
        try await busy.send(
            "POST /v1/users HTTP/1.1\r\nhost: 127.0.0.1:\(port)\r\nauthorization: Bearer \(credential)\r\ncontent-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n\r\n"
        )
        try await busy.send(String(body.prefix(10)))
        try await Task.sleep(for: .milliseconds(300))
        server.signal(signal)
        try await idle.closed()
        // The port closes at once; the request continues.
        while (try? await RawConnection.open(server.address)) != nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(server.isRunning)
        try await busy.send(String(body.dropFirst(10)))
        #expect(try await busy.answer()?.status == 201)
        #expect(await server.ended() == 0)
        let again = try await ServeProcess.start(in: scratch)
        #expect(try await again.admin(Sensitive(credential)).findUser("ada") != nil)
        #expect(await again.stop() == 0)
    }

    /// Holds the server open with a request whose body never arrives.
    private func hold(_ server: ServeProcess) async throws -> RawConnection {
        let connection = try await RawConnection.open(server.address)
        // From now on, the server has this connection, however busy the machine is.
        #expect(try await connection.request("GET", "/healthz").status == 200)
        try await connection.send(
            "POST /v1/journeys/respond HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"
        )
        try await Task.sleep(for: .milliseconds(300))
        return connection
    }

    @Test(
        "unfinished requests are ended after shutdown_seconds; the exit status is 0, and the log reports it"
    )
    func deadline() async throws {
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_SHUTDOWN_SECONDS": "1", "MIEN_LIMIT_REQUEST_SECONDS": "600"])
        let connection = try await hold(server)
        let begun = ContinuousClock.now
        #expect(await server.stop() == 0)
        #expect(ContinuousClock.now - begun < .seconds(60))
        #expect(try server.err.contains("stopped before all requests were done"))
        try await connection.closed()
        #expect(logSize == 0)
    }

    @Test("a second signal ends the server at once")
    func second() async throws {
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_SHUTDOWN_SECONDS": "300", "MIEN_LIMIT_REQUEST_SECONDS": "600"])
        let connection = try await hold(server)
        server.signal(SIGTERM)
        while (try? await RawConnection.open(server.address)) != nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(500))
        #expect(server.isRunning, "one signal lets the request continue")
        server.signal(SIGTERM)
        #expect(await server.ended() == 0)
        try await connection.closed()
    }

    @Test("an occupied port or a foreign address exits with status 3 and instructions")
    func listening() async throws {
        let server = try await ServeProcess.start(in: scratch)
        let port = try #require(URLComponents(string: server.address)?.port)
        let other = try ScratchFolder()
        let taken = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: other, ["MIEN_PORT": "\(port)"])
        }
        #expect(
            taken.status == 3
                && taken.err.contains(
                    "127.0.0.1:\(port) (host, port): another program is listening there"),
            "\(taken.err)")
        let foreign = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(
                in: other, ["MIEN_HOST": "192.0.2.1", "MIEN_FACE_PACK": "mien-basic-1"])
        }
        #expect(
            foreign.status == 3 && foreign.err.contains("this machine has no such address"),
            "\(foreign.err)")
        let unknown = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(
                in: other, ["MIEN_HOST": "nowhere.invalid", "MIEN_FACE_PACK": "mien-basic-1"])
        }
        #expect(
            unknown.status == 3 && unknown.err.contains("cannot listen on nowhere.invalid"),
            "\(unknown.err)")
        #expect(await server.stop() == 0)
    }

    @Test("a server that others can reach does not choose the less accurate pack by itself")
    func basicPackIsNamed() async throws {
        let packs = scratch("packs")
        try FileManager.default.createDirectory(at: packs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: packs.appending(path: "mien-basic-1"),
            withDestinationURL: Installed.home.packs.appending(path: "mien-basic-1"))
        let refused = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(
                in: scratch, ["MIEN_HOST": "0.0.0.0", "MIEN_PACKS": packs.path])
        }
        #expect(
            refused.status == 3 && refused.err.contains("recognizes 87 of 100 people's photos")
                && refused.err.contains("set face.pack to mien-basic-1"), "\(refused.err)")
        // On loopback, and if it is named, it is used.
        for settings in [[:], ["MIEN_HOST": "0.0.0.0", "MIEN_FACE_PACK": "mien-basic-1"]] {
            let server = try await ServeProcess.start(
                in: try ScratchFolder(),
                settings.merging(["MIEN_PACKS": packs.path]) { $1 })
            #expect(await server.stop() == 0)
        }
    }

    @Test("a start names the apps that accept photos, on standard output and in the log")
    func photos() async throws {
        let server = try await ServeProcess.start(in: scratch)
        let first = try server.out
        #expect(!first.contains("accepts photos"))
        let admin = try server.admin(try #require(server.credential))
        for (id, mode) in [("kiosk", "image"), ("shop", "liveness_active")] {
            _ = try await admin.createApp(
                AppRequest(
                    id: id, name: id, isFirstParty: true,
                    settings: ["liveness": ["mode": .string(mode)]]))
        }
        #expect(await server.stop() == 0)
        let next = try await ServeProcess.start(in: scratch)
        let line = "Liveness mode image accepts photos instead of live people: kiosk\n"
        // The line follows those about the addresses.
        let out = try await Patience.see {
            try next.out
        } until: {
            $0.contains(line)
        }
        let err = try next.err
        #expect(out.contains(line), "\(out)")
        #expect(err.contains("a photo of a person is accepted as that person"), "\(err)")
        #expect(await next.stop() == 0)
    }

    @Test("an invalid database or setting exits with its status, location, and what is allowed")
    func unusable() async throws {
        try scratch.write(
            Array("not a database, and longer than a page of one\n".utf8)
                + [UInt8](repeating: 65, count: 8192), to: "data/mien.sqlite")
        let foreign = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: scratch)
        }
        #expect(foreign.status == 3 && foreign.err.contains(scratch("data").path), "\(foreign.err)")
        #expect(!foreign.err.contains("please report"), "\(foreign.err)")
        let setting = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: scratch, ["MIEN_LIMIT_CONNECTIONS": "none"])
        }
        #expect(
            setting.status == 2
                && setting.err.contains(
                    "MIEN_LIMIT_CONNECTIONS must be a whole number from 1 to 1000000"),
            "\(setting.err)")
    }

    @Test(
        "JSON logs have one object per line, with the request ID, without secrets, names, or tokens"
    )
    func logs() async throws {
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_LOG_JSON": "true", "MIEN_LOG_LEVEL": "trace"])
        let credential = try #require(server.credential), text = credential.use { $0 }
        _ = try await server.admin(credential).createUser(
            UserRequest(
                username: "margarethe", email: "margarethe@example.org",
                password: "a password nobody has"))
        let connection = try await RawConnection.open(server.address)
        let start = try await connection.post(
            "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#,
            ["x-request-id": "asked-for-this"])
        let state = try #require(start.json["state"]?.stringValue)
        let body: JSONValue = [
            "state": .string(state), "option": "password",
            "data": ["username": "margarethe", "password": "a password nobody has"],
        ]
        let answer = try await connection.post("/v1/journeys/respond", JSONText.write(body))
        let token = try #require(answer.json["token"]?.stringValue),
            device = try #require(answer.json["device_token"]?.stringValue)
        // Malformed HTTP, too.
        let broken = try await RawConnection.open(server.address)
        try await broken.send("GET /\(state) HTTP/9\r\nauthorization: Bearer \(text)\r\n\r\n")
        _ = try await broken.answer()
        _ = try await connection.request(
            "GET", "/v1/users/margarethe", ["authorization": "Bearer \(text)"])
        let admin = try await RawConnection.open(server.adminAddress)
        _ = try await admin.request(
            "GET", "/v1/users/margarethe", ["authorization": "Bearer \(text)"])
        #expect(await server.stop() == 0)
        let log = try server.err, lines = log.split(separator: "\n")
        #expect(lines.count > 5)
        for line in lines {
            let object = try #require(
                try? JSONText.parse(Array(line.utf8), limits: .init(maxBytes: 100_000, maxDepth: 8))
                    .objectValue, "\(line)")
            #expect(
                object["time"]?.stringValue?.hasSuffix("Z") == true
                    && object["message"]?.stringValue?.isEmpty == false, "\(line)")
            #expect(
                ["trace", "debug", "info", "notice", "warning", "error", "critical"].contains(
                    object["level"]?.stringValue))
        }
        for secret in [
            text, String(text.split(separator: ".")[1]), state, token, device, "margarethe",
            "a password nobody has", "example.org",
        ] {
            #expect(
                !log.contains(secret),
                "the log contains one of the \(secret.count)-character secrets")
        }
    }
}
