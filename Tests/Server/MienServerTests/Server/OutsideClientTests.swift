import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Clients written from the documentation alone, against a real `mien serve`.
@Suite(
    "Outside clients", .enabled(if: Peer.isThere, Peer.reason),
    .enabled(if: Installed.isThere, Installed.reason), .serialized,
    .timeLimit(.minutes(10)))
struct OutsideClientTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Runs the peer to completion. All of its checks must run and pass.
    private static func run(_ name: String, _ settings: [String: JSONValue], checks wanted: Int)
        async throws
    {
        let user: [String: JSONValue] = ["username": "ada", "password": "a password nobody has"]
        let said = try await Peer(name, user.merging(settings) { $1 }).rest()
        let checks = said.filter { $0["check"] != nil }
        for check in checks {
            #expect(check["ok"] == true, "\(check["check"] ?? .null): \(check["seen"] ?? .null)")
        }
        #expect(
            checks.count == wanted && said.last?["checks"] == .number(Double(wanted)),
            "the peer did not complete")
    }

    private static func addUser(_ admin: MienAdmin) async throws {
        _ = try await admin.createUser(
            UserRequest(
                username: "ada", email: "ada@example.org", password: "a password nobody has"))
    }

    @Test(
        "a client written from the documentation registers a key, logs in, refreshes, and proves possession"
    )
    func biometric() async throws {
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_IDENTITY_BIOMETRIC_LIST_ENABLED": "true"])
        try await Self.addUser(server.admin(#require(server.credential)))
        try await Self.run(
            "biometric_client", ["server": .string(server.address), "app": "default_application"],
            checks: 44)
        #expect(await server.stop() == 0)
    }

    @Test("Prometheus's client library reads the metrics")
    func metrics() async throws {
        let server = try await ServeProcess.start(in: scratch)
        try await Self.addUser(server.admin(#require(server.credential)))
        let refused = try await server.client().start("password-login")
        try await refused.respond("password", ["username": "ada", "password": "a wrong guess"])
        let admin = try await RawConnection.open(server.adminAddress)
        let text = String(decoding: try await admin.request("GET", "/metrics").body, as: UTF8.self)
        let families = try #require(
            try await Peer("metrics_reader", ["text": .string(text)]).rest().first?["families"]?
                .arrayValue)
        func family(_ name: String) throws -> JSONValue {
            try #require(families.first { $0["name"]?.stringValue == name }, "\(name)")
        }
        let refusals = try family("mien_authentications")
        #expect(refusals["type"] == "counter" && refusals["help"]?.stringValue?.isEmpty == false)
        #expect(
            refusals["samples"]?.arrayValue?.contains {
                $0["labels"]?["result"] == "refused" && $0["value"] == "1"
            } == true, "\(refusals)")
        let seconds = try family("mien_http_request_duration_seconds")
        let routes = Set(
            (seconds["samples"]?.arrayValue ?? []).compactMap {
                $0["labels"]?["route"]?.stringValue
            })
        #expect(seconds["type"] == "histogram")
        #expect(routes.contains("/v1/journeys/{journey}/start"), "\(routes)")
        #expect(await server.stop() == 0)
    }

    @Test("Authlib: discovery, code and PKCE, refresh, revocation, introspection")
    func authlib() async throws {
        let certificates = try await Peer.certificates(in: scratch),
            redirect = "https://app.example.org/back"
        let server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_TLS_CERTIFICATE": certificates.appending(path: "localhost.pem").path,
                "MIEN_TLS_KEY": certificates.appending(path: "localhost.key").path,
            ])
        // The SDK trusts only the system's authorities, so the administrator is a peer, too.
        try await Self.run(
            "authlib_client",
            [
                "server": .string(server.address), "admin_server": .string(server.adminAddress),
                "authority": .string(certificates.appending(path: "ca.pem").path),
                "redirect": .string(redirect),
                "admin": .string(#require(server.credential).use { $0 }), "public": "web",
                "confidential": "backend",
            ], checks: 34)
        #expect(await server.stop() == 0)
    }
}
