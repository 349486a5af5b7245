import Foundation
import MienCore
import MienTesting
import Testing

extension HostileTests {
    @Test(
        "a stranger reads metrics on the public address to see whether an email was sent, or administers there with a stolen credential"
    )
    func adminListener() async throws {
        let server = try await ServeProcess.start(in: scratch),
            credential = try #require(server.credential).use { $0 }
        let outside = try await RawConnection.open(server.address)
        let bearer = ["authorization": "Bearer \(credential)", "content-type": "application/json"]
        let user = #"{"username": "ada", "email": "ada@example.org"}"#
        let calls = [
            ("GET", "/metrics", ""), ("GET", "/v1/users", ""), ("POST", "/v1/users", user),
            ("GET", "/v1/apps", ""),
            ("PUT", "/v1/apps/default_application", #"{"name": "Mine"}"#),
            ("GET", "/v1/journeys", ""),
            ("POST", "/v1/journeys/sign-up/versions/1/publish", "{}"), ("GET", "/v1/audit", ""),
            ("GET", "/v1/audit/verify", ""),
            ("GET", "/v1/product-keys", ""),
        ]
        for (method, path, body) in calls {
            for headers in [bearer, [:]] {
                try await outside.request(method, path, headers, Array(body.utf8)).expect(
                    .notFound, "\(method) \(path)")
            }
            #expect(AdminPaths.contains(path), "the test's own list")
        }
        // The admin address serves these, and does not serve the routes for apps.
        let inside = try await RawConnection.open(server.adminAddress)
        #expect(
            try await inside.request("GET", "/v1/users", bearer).json["items"]?.arrayValue?.isEmpty
                == true, "nobody was created")
        #expect(try await inside.request("GET", "/metrics").status == 200)
        try await inside.request("GET", "/v1/users").expect(.invalidCredentials)
        for path in ["/healthz", "/readyz", "/openapi.json", "/.well-known/jwks.json"] {
            #expect(try await outside.request("GET", path).status == 200, "\(path) stays public")
            try await inside.request("GET", path).expect(.notFound)
        }
        try await inside.post(
            "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#
        ).expect(.notFound)
        #expect(await server.stop() == 0)
    }

    @Test("an eavesdropper reads an admin credential from an unencrypted connection")
    func adminListenerRequiresTLS() async throws {
        for address in ["0.0.0.0:0", "[::]:0", "admin.example.org:8081"] {
            let refused = try await #require(throws: ServeProcess.NotListening.self) {
                try await ServeProcess.start(in: scratch, ["MIEN_ADMIN_LISTEN": address])
            }
            #expect(
                refused.status == 2
                    && refused.err.contains("requires TLS; set tls.certificate and tls.key"),
                "\(refused.err)")
        }
        let certificate = scratch("server.pem"), key = scratch("server.key")
        try await OpenSSL.certificate(certificate, key)
        let server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_ADMIN_LISTEN": "0.0.0.0:0", "MIEN_TLS_CERTIFICATE": certificate.path,
                "MIEN_TLS_KEY": key.path,
            ])
        #expect(server.adminAddress.hasPrefix("https://0.0.0.0:"))
        let port = try #require(URLComponents(string: server.adminAddress)?.port)
        let plain = try await RawConnection.open("http://127.0.0.1:\(port)")
        try await plain.send("GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n")
        #expect(try await plain.answer() == nil, "plain HTTP gets no answer")
        #expect(await server.stop() == 0)
    }

    @Test("a program occupies the admin port, and the server starts without its admin API")
    func adminPortTaken() async throws {
        let other = try ScratchFolder()
        let server = try await ServeProcess.start(in: scratch)
        let port = try #require(URLComponents(string: server.adminAddress)?.port)
        let taken = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: other, ["MIEN_ADMIN_LISTEN": "127.0.0.1:\(port)"])
        }
        #expect(
            taken.status == 3
                && taken.err.contains(
                    "127.0.0.1:\(port) (admin.listen): another program is listening there"),
            "\(taken.err)")
        #expect(!taken.out.contains("Listening on"))
        #expect(await server.stop() == 0)
    }
}
