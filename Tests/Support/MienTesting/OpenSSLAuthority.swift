import Foundation

/// A certificate authority that OpenSSL makes for a test.
public struct OpenSSLAuthority: Sendable {
    /// Why a test that needs one is skipped.
    public static let reason = "needs openssl: apt-get install openssl"
    public static let isThere = FileManager.default.isExecutableFile(atPath: openSSL.path)
    private static let openSSL = URL(filePath: "/usr/bin/openssl")

    /// A certificate and its private key, as PEM files.
    public struct Files: Sendable {
        public let certificate, key: URL
    }

    /// OpenSSL failed.
    public struct Failure: Error {
        public let words: String
    }

    /// The authority's own certificate, which clients trust.
    public let certificate: URL
    private let key: URL
    private let folder: ScratchFolder
    private let name: String

    /// - Parameters:
    ///   - name: Names the files and the authority itself.
    ///   - folder: Where the files are.
    public init(_ name: String, in folder: ScratchFolder) async throws {
        (certificate, key) = (folder("\(name)-ca.pem"), folder("\(name)-ca.key"))
        (self.name, self.folder) = (name, folder)
        try await Self.run(
            ["req", "-x509", "-days", "2"] + Self.newKey(key)
                + ["-subj", "/CN=\(name)", "-out", certificate.path])
    }

    /// Issues a certificate for `host`.
    public func issue(for host: String = "localhost") async throws -> Files {
        let files = Files(
            certificate: folder("\(name)-\(host).pem"), key: folder("\(name)-\(host).key"))
        let request = folder("\(name)-\(host).csr")
        let names = try folder.write("subjectAltName=DNS:\(host)\n".utf8, to: "\(name)-\(host).san")
        try await Self.run(
            ["req"] + Self.newKey(files.key) + ["-subj", "/CN=\(host)", "-out", request.path])
        try await Self.run([
            "x509", "-req", "-in", request.path, "-CA", certificate.path, "-CAkey", key.path,
            "-CAcreateserial", "-days", "2", "-extfile", names.path, "-out", files.certificate.path,
        ])
        return files
    }

    private static func newKey(_ file: URL) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file.path]
    }

    private static func run(_ arguments: [String]) async throws {
        let ended = try await ProgramRun.run(openSSL, arguments, environment: [:])
        guard ended.status == 0 else { throw Failure(words: ended.err) }
    }
}
