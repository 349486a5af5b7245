import Foundation
import MienIdentity
import MienTesting
import Testing

@testable import MienServer

@Suite struct SettingsTests {
    @Test func `every setting can be set with its variable, which overrides the file`() throws {
        for setting in ServerSetting.all {
            let value = "from the environment"
            let sources = try SettingSources(
                file: ("mien.yaml", Self.file(setting.key, "from the file")),
                environment: [setting.variable: value, "MIEN_UNKNOWN": "x", "PORT": "1"])
            #expect(sources.texts[setting.key] == value)
            #expect(sources.origins == [setting.key: setting.variable])
        }
    }

    @Test func `every setting can be set in the file, which overrides the default`() throws {
        for setting in ServerSetting.all {
            let sources = try SettingSources(
                file: ("/etc/mien.yaml", Self.file(setting.key, "from the file")), environment: [:])
            #expect(sources.texts[setting.key] == "from the file")
            #expect(sources.origins == [setting.key: "/etc/mien.yaml: \(setting.key)"])
        }
    }

    @Test func `documents come from the countries of people unless issuers are named`() throws {
        let scratch = try ScratchFolder()
        func issuers(_ settings: [String: String]) throws -> Set<String> {
            let configuration = try ServerConfiguration(
                environment: settings.merging(["MIEN_DATA": scratch("data").path]) { $1 },
                home: Machine.folder)
            return Set(configuration.identityIssuers.map(\.rawValue))
        }
        #expect(try issuers([:]) == Set(DocumentIssuer.all.map(\.rawValue)))
        #expect(try issuers(["MIEN_IDENTITY_COUNTRIES": "DE, US"]) == ["DE", "US"])
        #expect(
            try issuers(["MIEN_IDENTITY_COUNTRIES": "DE", "MIEN_IDENTITY_ISSUERS": "PL,XOM"])
                == ["PL", "XOM"])
    }

    @Test func `an empty variable overrides the file`() throws {
        let sources = try SettingSources(
            file: ("mien.yaml", Self.file("mail.host", "relay.example.org")),
            environment: ["MIEN_MAIL_HOST": ""])
        #expect(sources.texts["mail.host"] == "")
    }

    @Test func `settings that are set nowhere have their defaults`() throws {
        let sources = try SettingSources(file: nil, environment: [:])
        #expect(sources.origins.isEmpty && sources.texts.count == ServerSetting.all.count)
        for setting in ServerSetting.all { #expect(sources.texts[setting.key] == setting.standard) }
    }

    @Test func `the variables of every program, script, and test are known to the server`() throws {
        let known = EnvironmentNames.others.union(ServerSetting.all.map(\.variable))
        var found: Set<String> = []
        for folder in ["Sources", "Tests", "scripts", "Benchmarks", "Examples"] {
            let root = Repository.root.appending(path: folder)
            let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) {
                // Names in quotation marks, or in shell expansions.
                guard !file.path.contains("/.build/"), file.pathExtension != "md",
                    let text = try? String(contentsOf: file, encoding: .utf8)
                else { continue }
                for match in text.matches(
                    of: /(?:environment\[|getenv\(|environ\[)"(MIEN_[A-Z_]+)"|\$\{?(MIEN_[A-Z_]+)/)
                {
                    found.insert(String(match.1 ?? match.2 ?? ""))
                }
            }
        }
        #expect(found.count > 20)
        #expect(found.subtracting(known).sorted() == [])
    }

    /// Compares docs/settings.md with the settings. `MIEN_UPDATE=1` writes it.
    @Test func `the page lists every setting`() throws {
        let file = Repository.root.appending(path: "docs/settings.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        let marks = ("<!-- settings -->\n", "<!-- end of settings -->")
        let start = try #require(page.firstRange(of: marks.0)).upperBound
        let end = try #require(page.firstRange(of: marks.1)).lowerBound
        if ProcessInfo.processInfo.environment["MIEN_UPDATE"] == "1" {
            page.replaceSubrange(start..<end, with: Self.table)
            try Data(page.utf8).write(to: file)
        } else {
            #expect(page[start..<end] == Self.table, "MIEN_UPDATE=1 writes the page")
        }
    }

    @Test(arguments: [
        "0123456", "1e5", "1_000", "0x1F", "1.10", "no", "off", "Yes", "~", "null", "2026-11-29",
        "2026-11-29T08:00:00Z", "190:20:30", ".5", "0o17", "+1", "1.0e10", ".inf", "0b11", "TRUE",
    ])
    func `text is kept as it was written, and what YAML would change is refused with its line`(
        value: String
    ) throws {
        for key in ["mail.password", "webhook.hosts", "identity.rules", "face.presentation"] {
            for quoted in ["\"\(value)\"", "'\(value)'", "!!str \(value)"] {
                let sources = try SettingSources(
                    file: ("mien.yaml", Self.file(key, quoted)), environment: [:])
                #expect(sources.texts[key] == value, "\(quoted)")
            }
            let list = key == "webhook.hosts" ? ["[a.example, \(value)]"] : []
            for written in [value] + list {
                let file = "# A comment.\n" + Self.file(key, written)
                let error = try? #require(throws: ConfigurationError.self) {
                    try SettingSources(file: ("mien.yaml", file), environment: [:])
                }
                let text = "\(error.map { "\($0)" } ?? "accepted")"
                let isChanged =
                    text.contains("mien.yaml, line 3: \(key) is not in quotes")
                    && text.contains("put it in quotes")
                    && (value.count < 5 || !text.contains(value))
                // Yams follows YAML 1.1, in which these are text.
                let isText = ["0o17", "+1"].contains(value) && error == nil
                #expect(isChanged || isText, "\(value): \(text)")
            }
        }
    }

    @Test func `values that YAML leaves alone need no quotes`() throws {
        for value in ["123456", "1.5", "true", "hunter2", "a: b".replacing(" ", with: ""), "é#1"] {
            let sources = try SettingSources(
                file: ("mien.yaml", Self.file("mail.password", value)), environment: [:])
            #expect(sources.texts["mail.password"] == value)
        }
        for (value, meant) in [("yes", "true"), ("off", "false"), ("\"true\"", "true")] {
            let sources = try SettingSources(
                file: ("mien.yaml", Self.file("identity.consent", value)), environment: [:])
            #expect(sources.texts["identity.consent"] == meant)
        }
        let empty = try SettingSources(
            file: ("mien.yaml", Self.file("mail.host", "")), environment: [:])
        #expect(empty.texts["mail.host"] == "")
    }

    /// A file that sets one key.
    private static func file(_ key: String, _ value: String) -> String {
        let parts = key.split(separator: ".")
        let lines = parts.enumerated().map { String(repeating: "  ", count: $0) + "\($1):" }
        return lines.joined(separator: "\n") + " \(value)\n"
    }

    private static var table: String {
        var lines = ["", "| key | variable | takes | default | |", "|---|---|---|---|---|"]
        for setting in ServerSetting.all {
            let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
            lines.append(
                "| `\(setting.key)` | `\(setting.variable)` | \(words(setting)) | \(standard) | "
                    + "\(setting.meaning) |")
        }
        return lines.joined(separator: "\n") + "\n\n"
    }

    private static func words(_ setting: ServerSetting) -> String {
        switch setting.kind {
        case .text: setting.isSecret ? "text, secret" : "text"
        case .path: "path"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "`true` or `false`"
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .list: "a list"
        }
    }
}
