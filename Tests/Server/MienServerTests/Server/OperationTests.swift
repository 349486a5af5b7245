import Foundation
import MienCore
import MienTesting
import NIOSSL
import Testing

/// The work of an operator: `mien serve` as a process, its signals, refusals, and log.
@Suite("Operating a server", .enabled(if: Installed.isThere, Installed.reason))
struct OperationTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func refusal(
        _ settings: [String: String], arguments: [String] = []
    ) async throws -> ServeProcess.NotListening {
        try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: scratch, settings, arguments: arguments)
        }
    }

    @Test("a taken port is found before the credential is created, so the next start prints it")
    func takenPort() async throws {
        let other = try ScratchFolder(), holder = try await ServeProcess.start(in: other)
        let port = try #require(URLComponents(string: holder.address)?.port)
        for settings in [
            ["MIEN_PORT": "\(port)"], ["MIEN_ADMIN_LISTEN": "127.0.0.1:\(port)"],
        ] {
            let taken = try await refusal(settings)
            #expect(
                taken.status == 3 && taken.err.contains("another program is listening there"),
                "\(taken.err)")
            #expect(!taken.out.contains("adm_"))
        }
        #expect(await holder.stop() == 0)
        let server = try await ServeProcess.start(in: scratch)
        #expect(server.credential != nil)
        #expect(await server.stop() == 0)
    }

    @Test(
        "a database without its key, or with another, is one sentence with both paths and the fix")
    func keys() async throws {
        #expect(await (try ServeProcess.start(in: scratch)).stop() == 0)
        let key = scratch("data/master.key"), database = scratch("data/mien.sqlite")
        let bytes = try Data(contentsOf: key)
        func expectSentence(_ failed: ServeProcess.NotListening, _ words: String) {
            let lines = failed.err.split(separator: "\n").filter { !$0.contains(" info mien ") }
            #expect(
                failed.status == 3 && lines.count == 1 && failed.err.contains(database.path)
                    && failed.err.contains(key.path) && failed.err.contains(words)
                    && failed.err.contains("from a backup"), "\(failed.err)")
        }
        try FileManager.default.removeItem(at: key)
        expectSentence(try await refusal([:]), "has no master key")
        #expect(!FileManager.default.fileExists(atPath: key.path), "no other key takes its place")

        try Data(repeating: 7, count: bytes.count).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        expectSentence(try await refusal([:]), "is sealed under another master key")

        try bytes.write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        #expect(await (try ServeProcess.start(in: scratch)).stop() == 0)
    }

    @Test("a data folder that cannot be used exits with 3 and names it")
    func folders() async throws {
        let file = try scratch.write(Array("text".utf8), to: "file")
        let open = scratch("open")
        try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path)
        for (path, words) in [
            (file.path, "is a file"), (file.path + "/below", "check that its parents are folders"),
            ("/proc/mien", "cannot be created"), (open.path, "chmod 700"),
        ] {
            let failed = try await refusal(["MIEN_DATA": path])
            #expect(
                failed.status == 3 && failed.err.contains(path) && failed.err.contains(words)
                    && !failed.err.contains("please report"), "\(failed.status) \(failed.err)")
        }
    }

    @Test("an unknown setting in the environment or the file stops the server and is named")
    func unknownSettings() async throws {
        let variable = try await refusal(["MIEN_PROT": "8080"])
        #expect(
            variable.status == 2
                && variable.err.contains("MIEN_PROT; did you mean “MIEN_PORT”?"), "\(variable.err)")
        let file = try scratch.write(Array("tls:\n  kye: a.pem\n".utf8), to: "mien.yaml")
        let setting = try await refusal([:], arguments: ["--config", file.path])
        #expect(
            setting.status == 2 && setting.err.contains("“tls.kye”; did you mean “tls.key”?"),
            "\(setting.err)")
        #expect(!FileManager.default.fileExists(atPath: scratch("data").path))
    }

    @Test(
        "SIGHUP makes new connections use a renewed certificate, and keeps the old one if it is unusable",
        .enabled(if: OpenSSL.isThere, OpenSSL.reason))
    func renewedCertificate() async throws {
        let certificate = scratch("server.pem"), key = scratch("server.key"),
            kept = scratch("first.pem")
        try await OpenSSL.certificate(certificate, key)
        try FileManager.default.copyItem(at: certificate, to: kept)
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_TLS_CERTIFICATE": certificate.path, "MIEN_TLS_KEY": key.path])
        func connect(trusting file: URL) async throws -> RawConnection {
            var setup = TLSConfiguration.makeClientConfiguration()
            setup.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file.path))
            let connection = try await RawConnection.open(
                server.address, tls: NIOSSLContext(configuration: setup))
            #expect(try await connection.request("GET", "/healthz").status == 200)
            return connection
        }
        let before = try await connect(trusting: kept)
        try await OpenSSL.certificate(certificate, key)
        server.signal(SIGHUP)
        try await eventually { try server.err.contains("reloaded the certificate") }
        _ = try await connect(trusting: certificate)
        await #expect(throws: (any Error).self, "the old one is no longer served") {
            try await connect(trusting: kept)
        }
        #expect(
            try await before.request("GET", "/healthz").status == 200,
            "connections in progress continue")

        let renewed = scratch("second.pem")
        try FileManager.default.copyItem(at: certificate, to: renewed)
        try Data("no certificate".utf8).write(to: certificate)
        server.signal(SIGHUP)
        try await eventually { try server.err.contains("could not be reloaded") }
        #expect(try server.err.contains(certificate.path))
        _ = try await connect(trusting: renewed)
        #expect(await server.stop() == 0)
    }

    @Test("without TLS, SIGHUP changes nothing, and the server continues")
    func nothingToReload() async throws {
        let server = try await ServeProcess.start(in: scratch)
        server.signal(SIGHUP)
        try await eventually { try server.err.contains("no certificate to reload") }
        let connection = try await RawConnection.open(server.address)
        #expect(try await connection.request("GET", "/healthz").status == 200)
        #expect(await server.stop() == 0)
    }

    @Test(
        "every request has one line in the log: its ID, method, route, status, milliseconds, and app"
    )
    func requestLines() async throws {
        let server = try await ServeProcess.start(in: scratch, ["MIEN_LOG_JSON": "true"])
        let connection = try await RawConnection.open(server.address)
        let start = try await connection.post(
            "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#,
            ["x-request-id": "my-own.ID_1"])
        #expect(start.status == 200 && start.headers["x-request-id"] == "my-own.ID_1")
        let unknown = try await connection.request(
            "GET", "/v1/me/ada?x=1", ["x-request-id": "not well-formed"])
        let drawn = try #require(unknown.headers["x-request-id"])
        #expect(unknown.status == 404 && drawn != "not well-formed" && drawn.count >= 16)
        let strange = try await connection.request("PROPFIND", "/healthz")
        #expect(strange.status == 405)
        let broken = try await RawConnection.open(server.address)
        try await broken.send("GET / HTTP/9\r\n\r\n")
        let malformed = try #require(try await broken.answer())
        #expect(await server.stop() == 0)

        let lines = try server.err.split(separator: "\n").compactMap {
            try JSONText.parse(Array($0.utf8), limits: .init(maxBytes: 100_000, maxDepth: 8))
                .objectValue
        }.filter { $0["message"] == "request" }
        func line(_ id: String?) throws -> [String: JSONValue] {
            let found = lines.filter { $0["request.id"]?.stringValue == id && id != nil }
            #expect(found.count == 1, "\(id ?? "")")
            return try #require(found.first)
        }
        let first = try line("my-own.ID_1")
        #expect(
            first["request.method"] == "POST"
                && first["request.route"] == "/v1/journeys/{journey}/start"
                && first["response.status"] == "200" && first["app.id"] == "default_application"
                && Int(first["response.milliseconds"]?.stringValue ?? "") != nil, "\(first)")
        let second = try line(drawn)
        #expect(
            second["request.route"] == "unknown" && second["response.status"] == "404"
                && second["app.id"] == nil, "\(second)")
        #expect(try line(strange.headers["x-request-id"])["request.method"] == "other")
        #expect(try line(malformed.headers["x-request-id"])["response.status"] == "400")
        let log = try server.err
        #expect(!log.contains("/v1/me/ada") && !log.contains("PROPFIND"))
    }

    @Test(
        "an unknown query parameter is refused by name, except by OAuth and OpenID Connect, which ignore it"
    )
    func queries() async throws {
        let server = try await ServeProcess.start(in: scratch)
        let connection = try await RawConnection.open(server.address)
        for path in ["/healthz?deep=1", "/v1/me/passkeys?limit=5", "/v1/capture?x"] {
            let problem = try await connection.request("GET", path).expect(.invalidRequest, path)
            let name = try #require(path.split(separator: "?").last?.prefix { $0 != "=" })
            #expect(problem.errors?.first?.field == String(name), "\(path)")
        }
        let start = try await connection.post(
            "/v1/journeys/password-login/start?lang=en", #"{"client_id": "default_application"}"#)
        #expect(try start.expect(.invalidRequest).errors?.first?.message.contains("none") == true)
        for path in [
            "/.well-known/openid-configuration?x=1", "/.well-known/jwks.json?v=2",
        ] {
            #expect(try await connection.request("GET", path).status == 200, "\(path)")
        }
        let plain = try await connection.request("GET", "/notices?code=abc"),
            tracked = try await connection.request("GET", "/notices?code=abc&utm_source=mail")
        #expect(plain.status != 400 && tracked.status == plain.status)
        let page = try await connection.request(
            "GET", "/oauth2/authorize?client_id=default_application&ui_locales=en")
        #expect(
            !String(decoding: page.body, as: UTF8.self).contains("ui_locales is")
                && page.headers["content-type"]?.hasPrefix("text/html") == true)
        let admin = try await RawConnection.open(server.adminAddress),
            credential = try #require(server.credential).use { $0 }
        let headers = ["authorization": "Bearer \(credential)"]
        let typo = try await admin.request("GET", "/v1/users?identifer=ada", headers)
        #expect(
            try typo.expect(.invalidRequest).errors?.first?.message.contains("after, group, identifier")
                == true)
        #expect(try await admin.request("GET", "/v1/users?identifier=ada", headers).status == 200)
        #expect(await server.stop() == 0)
    }
}
