import Foundation
import MienCore
import MienTesting
import NIOSSL
import Testing

@testable import MienServer

/// Certificates that OpenSSL creates for the test.
enum OpenSSL {
    static let path = "/usr/bin/openssl"
    static let reason: Comment = "needs openssl: apt-get install openssl"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)

    static func run(_ arguments: String...) async throws {
        try await ProgramRun.output(of: path, arguments)
    }

    /// Creates a self-signed certificate for `localhost`.
    static func certificate(_ certificate: URL, _ key: URL, days: Int = 1) async throws {
        try await run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "\(days)", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", key.path, "-out", certificate.path)
    }
}

@Suite(
    "TLS with certificate files", .enabled(if: Installed.isThere, Installed.reason),
    .enabled(if: OpenSSL.isThere, OpenSSL.reason))
struct TLSFileTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func trusting(_ certificate: URL, most: TLSVersion? = nil) throws -> NIOSSLContext {
        var setup = TLSConfiguration.makeClientConfiguration()
        setup.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificate.path))
        if let most { (setup.minimumTLSVersion, setup.maximumTLSVersion) = (.tlsv1, most) }
        return try NIOSSLContext(configuration: setup)
    }

    @Test(
        "a client that offers no cipher suite with forward secrecy and authenticated encryption is rejected"
    )
    func weakCiphers() async throws {
        let certificate = scratch("server.pem"), key = scratch("server.key")
        try await OpenSSL.run(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost",
            "-keyout", key.path, "-out", certificate.path)
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_TLS_CERTIFICATE": certificate.path, "MIEN_TLS_KEY": key.path])
        func request(_ ciphers: String) async throws -> Int {
            var setup = TLSConfiguration.makeClientConfiguration()
            setup.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificate.path))
            (setup.minimumTLSVersion, setup.maximumTLSVersion, setup.cipherSuites) = (
                .tlsv12, .tlsv12, ciphers
            )
            let connection = try await RawConnection.open(
                server.address, tls: NIOSSLContext(configuration: setup))
            return try await connection.request("GET", "/healthz").status
        }
        #expect(try await request("ECDHE-RSA-AES128-GCM-SHA256") == 200)
        #expect(try await request("ECDHE-RSA-CHACHA20-POLY1305") == 200)
        for weak in ["AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA"] {
            await #expect(throws: (any Error).self, "\(weak)") { try await request(weak) }
        }
        #expect(await server.stop() == 0)
    }

    @Test(
        "clients that trust the certificate connect with TLS 1.2 and 1.3; TLS 1.1, plaintext, and other clients fail"
    )
    func served() async throws {
        let certificate = scratch("server.pem"), key = scratch("server.key"),
            stranger = scratch("other.pem")
        try await OpenSSL.certificate(certificate, key)
        try await OpenSSL.certificate(stranger, scratch("other.key"))
        let server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_TLS_CERTIFICATE": certificate.path, "MIEN_TLS_KEY": key.path,
                "MIEN_LIMIT_REQUEST_SECONDS": "2",
            ])
        #expect(server.address.hasPrefix("https://"))
        for version in [TLSVersion.tlsv12, .tlsv13] {
            let connection = try await RawConnection.open(
                server.address, tls: trusting(certificate, most: version))
            #expect(try await connection.request("GET", "/healthz").status == 200, "\(version)")
        }
        for context in [
            try trusting(certificate, most: .tlsv11), try trusting(certificate, most: .tlsv1),
            try trusting(stranger),
        ] {
            await #expect(throws: (any Error).self) {
                let connection = try await RawConnection.open(server.address, tls: context)
                _ = try await connection.request("GET", "/healthz")
            }
        }
        let plain = try await RawConnection.open(server.address)
        try await plain.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        let answered = try? await plain.answer()
        #expect(answered == nil, "nothing is sent unencrypted")
        // A connection that never begins its handshake is closed.
        let mute = try await RawConnection.open(server.address)
        try await mute.closed()
        let connection = try await RawConnection.open(server.address, tls: trusting(certificate))
        #expect(
            try await connection.request("GET", "/healthz").status == 200,
            "others are served as before")
        #expect(await server.stop() == 0)
    }

    @Test("the metrics tell when the first certificate of the chain expires, also after a reload")
    func expiry() async throws {
        let certificate = scratch("server.pem"), key = scratch("server.key"),
            authority = scratch("authority.pem")
        func days(_ served: ServedCertificate) -> Double {
            (served.expiry.timeIntervalSinceNow / 86_400).rounded()
        }
        try await OpenSSL.certificate(certificate, key, days: 30)
        let served = try ServedCertificate(
            TLSFiles(certificate: certificate.path, key: key.path))
        #expect(days(served) == 30)
        try await OpenSSL.certificate(certificate, key, days: 90)
        #expect(days(served) == 30, "not before the reload")
        try served.reload()
        #expect(days(served) == 90)
        // An authority in the chain can expire first.
        try await OpenSSL.certificate(authority, scratch("authority.key"), days: 7)
        var chain = try Data(contentsOf: certificate)
        chain.append(try Data(contentsOf: authority))
        try chain.write(to: certificate)
        try served.reload()
        #expect(days(served) == 7)

        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_TLS_CERTIFICATE": certificate.path, "MIEN_TLS_KEY": key.path])
        let connection = try await RawConnection.open(server.adminAddress)
        let text = String(
            decoding: try await connection.request("GET", "/metrics").body, as: UTF8.self)
        let gauge = try #require(
            text.firstMatch(of: /\nmien_tls_certificate_days ([0-9.]+)\n/).map { Double($0.1) }
                ?? nil)
        #expect((6.5...7).contains(gauge))
        #expect(text.contains("\nmien_queue_limit{queue=\"documents\"} "))
        #expect(text.contains("\nmien_database_readers 4.0\n"))
        #expect(text.contains("# TYPE mien_database_reads gauge\n"))
        #expect(await server.stop() == 0)
    }

    @Test(
        "invalid files exit with status 3, the setting, the file, and the reason, without quoting a key"
    )
    func unusable() async throws {
        let certificate = scratch("server.pem"), key = scratch("server.key"),
            other = scratch("other.key"), locked = scratch("locked.key")
        try await OpenSSL.certificate(certificate, key)
        try await OpenSSL.certificate(scratch("other.pem"), other)
        try await OpenSSL.run(
            "ec", "-in", key.path, "-aes256", "-passout", "pass:unknown", "-out", locked.path)
        let text = try scratch.write(Array("no certificate, but this-is-secret".utf8), to: "text")
        let missing = scratch("missing")
        for (chain, key, words) in [
            (certificate, other, ["tls.key", "does not belong to"]),
            (certificate, text, ["tls.key", "no private key"]),
            (certificate, locked, ["tls.key", "passphrase"]),
            (certificate, missing, ["tls.key", "cannot be read"]),
            (text, key, ["tls.certificate", "no certificates"]),
            (key, key, ["tls.certificate", "no certificates"]),
            (missing, key, ["tls.certificate", "cannot be read"]),
        ] {
            let failed = try await #require(throws: ServeProcess.NotListening.self) {
                try await ServeProcess.start(
                    in: scratch, ["MIEN_TLS_CERTIFICATE": chain.path, "MIEN_TLS_KEY": key.path])
            }
            #expect(failed.status == 3 && words.allSatisfy(failed.err.contains), "\(failed.err)")
            #expect(
                !failed.err.contains("this-is-secret") && !failed.err.contains("BEGIN")
                    && !failed.out.contains("adm_"))
            #expect(
                !FileManager.default.fileExists(atPath: scratch("data").path),
                "detected before any file was created")
        }
    }
}
