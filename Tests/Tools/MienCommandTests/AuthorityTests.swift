import Foundation
import MienTesting
import Testing

/// Servers whose certificates are signed by an authority of one's own.
@Suite struct AuthorityTests {
    private static let openssl = "/usr/bin/openssl"

    /// Creates a self-signed certificate for `localhost`, which is its own authority.
    private static func certificate(in home: TemporaryHome, _ name: String) async throws -> (
        certificate: String, key: String
    ) {
        let files = (
            certificate: home.files.appending(path: "\(name).pem").path,
            key: home.files.appending(path: "\(name).key").path
        )
        try await ProgramRun.output(
            of: openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", files.key, "-out", files.certificate,
            ])
        return files
    }

    @Test(
        .needsPack,
        .enabled(if: FileManager.default.isExecutableFile(atPath: openssl), "needs openssl"))
    func
        `--ca and SSL_CERT_FILE name the authorities to trust; others and the system's are not trusted`()
        async throws
    {
        let home = try TemporaryHome(), own = try await Self.certificate(in: home, "own"),
            other = try await Self.certificate(in: home, "other")
        // Only an address other than loopback is served over TLS.
        let tls = [
            "MIEN_ADMIN_LISTEN": "0.0.0.0:0", "MIEN_TLS_CERTIFICATE": own.certificate,
            "MIEN_TLS_KEY": own.key,
        ]
        try await ServerProcess.run(in: home, settings: tls) { server in
            let port = try #require(URLComponents(string: server.adminAddress)?.port)
            func list(_ arguments: [String] = [], _ settings: [String: String] = [:]) async throws
                -> MienProgram.Result
            {
                try await home.mien(
                    ["admin", "app", "list", "--json", "--server", "https://localhost:\(port)"]
                        + arguments,
                    settings: ["MIEN_ADMIN_CREDENTIAL": server.credential].merging(settings) { $1 })
            }
            let named = try await list(["--ca", own.certificate])
            #expect(named.status == 0, "\(named.err)")
            #expect(try await list([], ["SSL_CERT_FILE": own.certificate]).status == 0)
            #expect(
                try await list(["--ca", own.certificate], ["SSL_CERT_FILE": other.certificate])
                    .status == 0, "the option overrides the variable")
            for (arguments, settings) in [
                ([], [:]), (["--ca", other.certificate], [:]),
                ([], ["SSL_CERT_FILE": other.certificate]),
            ] as [([String], [String: String])] {
                let refused = try await list(arguments, settings)
                #expect(
                    try refused.status == 3 && refused.error.code == "server.unreachable",
                    "\(refused)")
            }
            for (arguments, settings, source) in [
                (["--ca", own.key], [:], "--ca: \(own.key)"),
                (["--ca", "/nonexistent"], [:], "--ca: /nonexistent"),
                ([], ["SSL_CERT_FILE": "/nonexistent"], "SSL_CERT_FILE: /nonexistent"),
            ] as [([String], [String: String], String)] {
                let refused = try await list(arguments, settings)
                #expect(
                    try refused.status == 2 && refused.error.code == "ca.unreadable"
                        && refused.error.message.contains(source), "\(refused)")
            }
        }
    }
}
