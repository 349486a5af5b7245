import Foundation
import MienTesting
import Testing

@testable import MienServer

@Suite("Server configuration")
struct ServerConfigurationTests {
    private let home = URL(filePath: "/nonexistent/home")

    private func configuration(_ yaml: String = "", _ environment: [String: String] = [:]) throws
        -> ServerConfiguration
    {
        try ServerConfiguration(file: ("mien.yaml", yaml), environment: environment, home: home)
    }

    private func problems(_ yaml: String, _ environment: [String: String] = [:]) -> String {
        do {
            _ = try configuration(yaml, environment)
            return ""
        } catch { return "\(error)" }
    }

    @Test("environment variables override the file, and the file overrides defaults")
    func order() throws {
        let found = try configuration(
            "port: 9000\nhost: 0.0.0.0\nface:\n  threshold: 60\n", ["MIEN_PORT": "9001"])
        #expect(found.port == 9001 && found.host == "0.0.0.0" && found.faceThreshold == 60)
        #expect(found.faceQuality == 48 && found.dataFolder.path == "/nonexistent/home/server")
    }

    @Test("an unknown key is an error that names its location and suggests a correction")
    func unknown() {
        #expect(problems("prot: 1").contains("did you mean “port”"))
        #expect(problems("face:\n  treshold: 50").contains("face.treshold"))
        #expect(problems("tls: 5").contains("tls"))
        #expect(problems("- a").contains("not a list of settings"))
        #expect(problems("a: [").contains("not YAML"))
    }

    @Test("an unknown MIEN_ variable is an error that names it, suggests one, and hides its value")
    func unknownVariables() {
        let found = problems("", ["MIEN_WEBHOOK_SECERT": "hush", "MIEN_NOTHING_LIKE_IT": "1"])
        #expect(found.contains("MIEN_WEBHOOK_SECERT; did you mean “MIEN_WEBHOOK_SECRET”?"))
        #expect(found.contains("MIEN_NOTHING_LIKE_IT; unset it") && !found.contains("hush"))
        #expect(problems("", ["MIEN_HOME": "/home", "MIEN_SEED": "1", "PORT": "x"]) == "")
    }

    @Test("what wraps the master keys is complete, and is not part of a backup")
    func keys() throws {
        let standard = try configuration()
        #expect(standard.keys.path == "/nonexistent/home/server/master.key")
        #expect(standard.keys.protection == .file)
        let named = try configuration("key:\n  source: credential\n")
        #expect(named.keys.protection == .credential("mien.master-key"))
        let token = "key:\n  source: pkcs11\n  pkcs11:\n    token: keys\n"
        let missing = problems(token)
        #expect(missing.contains("key.pkcs11.module is required"))
        #expect(missing.contains("either key.pkcs11.pin_file or key.pkcs11.pin_credential"))
        let complete = try configuration(
            token + "    module: /lib/token.so\n    pin_file: /etc/mien/pin\n")
        #expect(
            complete.keys.protection
                == .token(
                    .init(
                        module: "/lib/token.so", token: "keys", key: "mien",
                        pin: .file("/etc/mien/pin"))))
        #expect(complete.namedFiles.isEmpty)
        #expect(problems("key:\n  source: tpm").contains("file, credential, pkcs11"))
        #expect(
            problems("key:\n  source: credential\n  credential: a/b").contains("not a path"))
    }

    @Test("the mark that hides a secret is not accepted as one")
    func hiddenSecrets() throws {
        let printed = try configuration("mail:\n  password: hunter2hunter2\n").printed
        #expect(problems(printed).contains("mien.yaml: mail.password is ‹hidden›"))
        #expect(
            problems("", ["MIEN_WEBHOOK_SECRET": "‹hidden›"]).contains("MIEN_WEBHOOK_SECRET is"))
    }

    @Test(
        "values out of range and conflicting settings produce errors that state what is allowed",
        arguments: [
            ("port: 70000", "0 to 65535"), ("port: x", "whole number"),
            ("log:\n  level: loud", "trace, debug"),
            ("trust_proxy: maybe", "true or false"),
            ("tls:\n  key: a.pem", "belong together"), ("public_url: example.org", "https://"),
            ("public_url: https://example.org/login", "Give the server a host name of its own"),
            ("public_url: https://example.org/", "without a trailing slash"),
            ("public_url: https://example.org/a/", "has a path, /a/"),
            ("public_url: \"https://example.org?a=b\"", "without a user, a query"),
            ("public_url: \"https://example.org#a\"", "without a user, a query"),
            ("public_url: https://ada@example.org", "without a user, a query"),
            ("public_url: \"https://\"", "must be a URL"),
            ("public_url: HTTPS://example.org", "lowercase https://"),
            ("face:\n  pack: A B", "is not a valid model pack name"),
            ("admin:\n  listen: 127.0.0.1", "a host and a port"),
            ("admin:\n  listen: \"::1:8081\"", "a host and a port"),
            ("admin:\n  listen: \"127.0.0.1:8080\"", "a port of its own"),
            (
                "admin:\n  listen: \"0.0.0.0:8081\"",
                "requires TLS; set tls.certificate and tls.key, or listen on 127.0.0.1:8081"
            ),
            ("admin:\n  listen: \"127.0.0.1.example.org:8081\"", "requires TLS"),
            ("admin:\n  listen: \"[fe80::1]:8081\"", "requires TLS"),
            ("mail:\n  host: mail.example\n  security: none", "in the clear"),
            ("face:\n  threshold: 10", "24.0 to 72.0"),
            ("mail:\n  from: Mien <mien@example.org>", "like mien@example.org"),
            ("mail:\n  from: \"a@example.org\\rBcc: b\"", "more than one line"),
            ("webhook:\n  hosts: [hooks.example.org]", "openssl rand -hex 32"),
            ("webhook:\n  hosts: [hooks.example.org]\n  secret: too short", "at least 32"),
            ("identity:\n  sources: [bureau]", "allowed are registry, http, simulator"),
            ("identity:\n  sources: [http]", "identity.http.mapping is required"),
            ("identity:\n  sources: [http]\n  http:\n    secret: short", "at least 32"),
            (
                "webhook:\n  former_secret: too short",
                "webhook.former_secret must have at least 32"
            ),
            (
                "identity:\n  http:\n    former_secret: too short",
                "identity.http.former_secret must have at least 32"
            ),
        ])
    func ranges(yaml: String, words: String) {
        #expect(problems(yaml).contains(words), "\(problems(yaml))")
    }

    @Test("an invalid certificate authority file stops the server, and the error names the setting")
    func authorities() throws {
        let text = URL(filePath: #filePath).path
        for (setting, more) in [
            ("mail.ca", "mail:\n  host: relay.example.org\n  ca: "),
            ("webhook.ca", "webhook:\n  ca: "),
        ] {
            for path in ["/nonexistent/ca.pem", text] {
                let found = try configuration(more + path)
                let error = #expect(throws: ConfigurationError.self) {
                    _ = try found.relay?.tls()
                    _ = try WebhookCaller(found, clock: .system)
                }
                #expect(
                    error?.problems.first?.hasPrefix(
                        "\(setting): \(path) is not a readable PEM file") == true)
            }
        }
    }

    @Test("an unusable service for identities stops the server, and the error names the setting")
    func identityService() throws {
        let scratch = try ScratchFolder(), good = HTTPSourceTests.mappingText
        for (url, text, words) in [
            ("http://bureau.example.org/", good, "identity.http.url must be an https URL"),
            ("https://a:b@bureau.example.org/", good, "identity.http.url must be an https URL"),
            ("bureau.example.org", good, "identity.http.url must be an https URL"),
            ("https://bureau.example.org/", "{}", "mapping.json: name: expected"),
            (
                "https://bureau.example.org/", good.replacing("send", with: "sent"),
                "sent: unknown key"
            ),
            ("https://bureau.example.org/", nil, "identity.http.mapping: cannot read"),
        ] as [(String, String?, String)] {
            let mapping = scratch("mapping.json")
            try? FileManager.default.removeItem(at: mapping)
            if let text { try Data(text.utf8).write(to: mapping) }
            let found = try configuration(
                "",
                [
                    "MIEN_IDENTITY_SOURCES": "http", "MIEN_IDENTITY_HTTP_URL": url,
                    "MIEN_IDENTITY_HTTP_MAPPING": mapping.path,
                    "MIEN_IDENTITY_HTTP_SECRET": HTTPSourceTests.secret,
                ])
            let error = #expect(throws: ConfigurationError.self) {
                try found.httpSource(.system)
            }
            #expect(error?.problems.first?.contains(words) == true, "\(error?.problems ?? [])")
        }
    }

    @Test func `an unusable table of short names stops the server, and the error names the line`()
        throws
    {
        let scratch = try ScratchFolder()
        let table = try scratch.write(Array("Robert: Bob\nWilliam Bill\n".utf8), to: "names.txt")
        for (path, words) in [
            (table.path, "\(table.path): line 2: write a name, a colon"),
            (scratch("nothing.txt").path, "cannot read"),
        ] {
            let found = try configuration("", ["MIEN_IDENTITY_SHORT_NAMES": path])
            let error = #expect(throws: ConfigurationError.self) {
                _ = try found.makeIdentityRules()
            }
            let problem = error?.problems.first
            #expect(problem?.hasPrefix("identity.short_names: ") == true)
            #expect(problem?.contains(words) == true, "\(problem ?? "")")
        }
    }

    @Test("printed settings hide secrets, and the output can be read again")
    func printing() throws {
        let found = try configuration(
            "mail:\n  password: hunter2hunter2\n", ["MIEN_WEBHOOK_SECRET": "s3cr3t-value"])
        #expect(
            !found.printed.contains("hunter2") && !found.printed.contains("s3cr3t")
                && found.printed.contains("‹hidden›"))
        let plain = try configuration("port: 9000")
        #expect(try configuration(plain.printed).printed == plain.printed)
    }

    @Test(arguments: ["48.50", "4.8e1", "+48", "048", "48.0", "48"])
    func `a printed number can be read again, however it was written`(number: String) throws {
        let found = try configuration("", ["MIEN_FACE_THRESHOLD": number])
        #expect(found.printed.contains("threshold: "))
        #expect(problems(found.printed) == "")
        #expect(try configuration(found.printed).faceThreshold == found.faceThreshold)
    }

    @Test(arguments: ["0443", "+443", "443"])
    func `a printed whole number can be read again, however it was written`(number: String) throws {
        let found = try configuration("", ["MIEN_PORT": number])
        #expect(problems(found.printed) == "")
        #expect(try configuration(found.printed).port == 443)
    }
}
