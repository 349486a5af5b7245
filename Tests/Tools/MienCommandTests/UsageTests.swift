import Foundation
import MienTesting
import Testing

/// Help, and words that cannot be placed.
@Suite struct UsageTests {
    /// A command of the tree, with its full path.
    private struct Command {
        let words: [String]
        let isGroup: Bool
    }

    /// All commands, from the program's own description.
    private static func commands(_ home: TemporaryHome) async throws -> [Command] {
        let result = try await home.mien("--experimental-dump-help")
        let top = try #require(
            try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any])
        func walk(_ command: [String: Any], _ words: [String]) -> [Command] {
            let parts = (command["subcommands"] as? [[String: Any]] ?? []).filter {
                // Hidden helpers are not public commands.
                $0["commandName"] as? String != "help" && $0["shouldDisplay"] as? Bool != false
            }
            return [Command(words: words, isGroup: !parts.isEmpty)]
                + parts.flatMap { walk($0, words + [$0["commandName"] as? String ?? "?"]) }
        }
        return walk(try #require(top["command"] as? [String: Any]), [])
    }

    @Test func `every command's help has an example`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let commands = try await Self.commands(home)
        let words = commands.map { $0.words.joined(separator: " ") }
        for expected in [
            "", "face enroll", "face verify", "face identify", "face list", "face remove",
            "face inspect", "document read", "journey lint", "journey import",
            "admin user set",
            "admin audit verify", "models install", "doctor",
        ] {
            #expect(words.contains(expected))
        }
        for command in commands {
            let help = try await home.mien(command.words + ["--help"])
            #expect(help.status == 0 && help.err.isEmpty, "\(command.words)")
            #expect(
                help.out.contains("EXAMPLE\n")
                    && help.out.contains("  mien \(command.words.joined(separator: " "))"),
                "\(command.words): \(help.out)"
            )
            // A server keeps running and has no single result.
            #expect(
                command.isGroup || help.out.contains("--json") || command.words.last == "serve",
                "\(command.words)")
        }
    }

    /// A command as the program describes it: its parts, and its options with their dashes.
    private final class Described {
        private(set) var parts: [String: Described] = [:]
        private(set) var options: Set<String> = ["--help", "--version"]

        init(_ command: [String: Any]) {
            for part in command["subcommands"] as? [[String: Any]] ?? [] {
                let names =
                    [part["commandName"] as? String ?? ""] + (part["aliases"] as? [String] ?? [])
                let described = Described(part)
                for name in names { parts[name] = described }
            }
            for argument in command["arguments"] as? [[String: Any]] ?? [] {
                for name in argument["names"] as? [[String: Any]] ?? [] {
                    options.insert("--" + (name["name"] as? String ?? ""))
                }
            }
        }

        /// Returns what is wrong with the words after the command's name; `nil` if it exists.
        func fault(_ words: ArraySlice<String>) -> String? {
            guard parts.isEmpty else {
                // Options of a group are those of its parts.
                guard let word = words.first, word.wholeMatch(of: /[a-z][a-z-]*/) != nil else {
                    return nil
                }
                guard let part = parts[word] else { return "there is no command “\(word)”" }
                return part.fault(words.dropFirst())
            }
            let unknown = words.map { String($0.prefix { $0 != "=" }) }.filter {
                $0.wholeMatch(of: /--[a-z][a-z-]*/) != nil && !options.contains($0)
            }
            return unknown.isEmpty ? nil : "there is no option \(unknown.joined(separator: ", "))"
        }
    }

    /// The places in a file that name commands: texts of programs, and code of pages.
    private static func texts(of file: URL) throws -> [String] {
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        switch file.pathExtension {
        case "md":
            let spans = lines.flatMap { line in line.matches(of: /`([^`]+)`/).map { String($0.1) } }
            // Blocks of code continue their commands on the next line.
            return spans
                + lines.filter { $0.hasPrefix("    ") }.joined(separator: "\n").replacing(
                    "\\\n", with: " "
                ).components(separatedBy: "\n")
        default:
            return lines.filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
        }
    }

    /// Returns the words after each `mien`, until the sentence, the quotation, or the part of a
    /// pipeline ends.
    private static func commands(in text: String) -> [[String]] {
        text.matches(of: /(?:^|[^\w.\/=-])mien\s/).compactMap { match in
            var words: [String] = []
            for token in text[match.range.upperBound...].prefix(while: {
                !"`\"“”|&;<>#'".contains($0)
            }).split(separator: " ") {
                let word = token.trimmingCharacters(in: CharacterSet(charactersIn: ".,:)…\\"))
                words.append(word)
                guard word == token else { break }
            }
            guard let first = words.first, first.wholeMatch(of: /[a-z][a-z-]*/) != nil,
                first != "mien"
            else { return nil }
            return words
        }
    }

    @Test func `every command and option that a message or a page names exists`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let dump = try await home.mien("--experimental-dump-help")
        let top = try #require(
            try JSONSerialization.jsonObject(with: Data(dump.out.utf8)) as? [String: Any])
        let program = Described(try #require(top["command"] as? [String: Any]))
        let root = Repository.root
        var found = 0
        for folder in ["Sources", "Web", "docs", "packaging", "README.md"] {
            let place = root.appending(path: folder)
            let inside = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
            let files = (inside?.allObjects as? [URL] ?? []) + [place]
            for file in files where ["swift", "js", "md", "service"].contains(file.pathExtension) {
                for text in try Self.texts(of: file) {
                    for words in Self.commands(in: text) {
                        found += 1
                        let fault = program.fault(words[...])
                        #expect(
                            fault == nil,
                            "\(file.path): mien \(words.joined(separator: " "))")
                    }
                }
            }
        }
        #expect(found > 300)
    }

    @Test(arguments: [
        (["face", "enrol", "ada"], "mien face enroll"), (["fcae", "list"], "mien face"),
        (["enroll", "ada", "a.jpg"], "mien face enroll"),
        (["admin", "user", "lst"], "mien admin user list"),
        (["journey", "lnit", "a.json"], "mien journey lint"),
    ])
    func `a misspelled command is refused with the one that it probably means`(
        arguments: [String], meant: String
    ) async throws {
        let home = try TemporaryHome(hasPack: false)
        let plain = try await home.mien(arguments)
        #expect(plain.status == 2 && plain.err.contains("Did you mean “\(meant)”?"), "\(plain.err)")
        let json = try await home.mien(arguments + ["--json"])
        #expect(try json.status == 2 && json.error.message.contains("“\(meant)”"))
    }

    @Test func `a misspelled option is refused with the one that it probably means`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let result = try await home.mien("face", "verify", "ada", "a.jpg", "--treshold", "48")
        #expect(result.status == 2 && result.err.contains("--threshold"), "\(result.err)")
    }

    @Test func `an unrelated word gets no suggestion`() async throws {
        let result = try await TemporaryHome(hasPack: false).mien("nonsense")
        #expect(result.status == 2 && !result.err.contains("Did you mean"), "\(result.err)")
    }

    @Test func `--version prints the version`() async throws {
        let result = try await TemporaryHome(hasPack: false).mien("--version")
        #expect(result.status == 0 && result.out.hasPrefix("mien ") && result.err.isEmpty)
    }

    @Test(arguments: [
        ["nonsense"], ["face", "nonsense"], ["face", "verify"], ["face", "verify", "ada"],
        ["face", "verify", "ada", "a.jpg", "b.jpg"],
        ["face", "enroll", "ada"], ["face", "enroll", "ada"] + (1...9).map { "\($0).jpg" },
        ["face", "enroll", "ada", "a.jpg", "--quality", "101"],
        ["face", "verify", "ada", "a.jpg", "--threshold", "73"],
        ["face", "verify", "ada", "a.jpg", "--threshold", "high"],
        ["face", "verify", "ada", "a.jpg", "--threshold=-1"],
        ["face", "verify", "ada", "a.jpg", "--nonsense"],
        ["face", "identify", "a.jpg", "--top", "0"],
        ["face", "inspect", "a.jpg", "--quality", "-5"],
        ["face", "verify", "ada", "a.jpg", "--pack", "Not A Pack"],
        ["face", "verify", "ada", "a.jpg", "--precision", "f64"],
        ["face", "calibrate", "people", "--cohort", "10"],
        ["face", "calibrate", "people", "--install", "mien-basic-1"],
        ["models", "install"], ["models", "verify", "../.."], ["journey", "lint"],
        ["journey", "show"], ["journey", "test"], ["journey", "publish"],
        ["journey", "publish", "face-login"], ["journey", "publish", "face-login", "second"],
        ["journey", "import"], ["journey", "export"],
        ["journey", "export", "face login"],
        ["journey", "export", "face-login", "--version", "new"], ["journey", "retire"],
        ["admin", "nonsense"], ["admin", "app", "create"], ["admin", "app", "show", "my shop"],
        ["admin", "app", "create", "Mail", "--for", "mutt"],
        ["admin", "app", "create", "Mail", "--for", "roundcube"],
        ["admin", "app", "create", "Mail", "--for", "dovecot", "--url", "https://a.example.org"],
        ["admin", "app", "create", "Mail", "--url", "https://mail.example.org"],
        ["admin", "app", "set", "shop"],
        ["admin", "app", "set", "shop", "--lock", "face=5"],
        ["admin", "app", "set", "shop", "--lock", "nose=5,30,50"],
        ["admin", "app", "set", "shop", "--face-threshold", "high"],
        ["admin", "app", "set", "shop", "--journey", "a", "--all-journeys"],
        ["admin", "app", "delete", "shop"], ["admin", "user", "create"],
        ["admin", "user", "create", "--username", "ada", "--attribute", "gold"],
        ["admin", "user", "create", "--username", "ada", "--attribute", "age:=old"],
        ["admin", "user", "set", "ada"],
        ["admin", "user", "set", "ada", "--state", "gone"], ["admin", "user", "delete", "ada"],
        ["admin", "user", "list", "--limit", "0"],
        ["admin", "authenticator", "unlock", "ada"],
        ["admin", "authenticator", "offer-token", "ada"],
        ["admin", "authenticator", "offer-token", "ada", "shop", "--kind", "sms"],
        ["admin", "authenticator", "offer-token", "ada", "shop", "--digits", "5"],
        ["admin", "consent", "withdraw", "ada"], ["admin", "registry", "import"],
        ["admin", "verification", "decide", "cas_1", "maybe"],
        ["admin", "verification", "lint"], ["admin", "administrator", "create"],
        ["admin", "verification", "require", "ada", "PASSPORT"],
        ["admin", "audit", "list", "--after=-1"],
        ["otp", "hotp"], ["otp", "hotp", "--counter=-1"],
        ["otp", "hotp", "--counter", "1", "--hash", "md5"], ["otp", "totp", "--check", "12a45g"],
        ["otp", "ocra", "--question", "1"], ["otp", "ocra", "--suite", "OCRA-1:HOTP-SHA1-6:QN08"],
        ["otp", "cap", "--cid", "8", "--atc", "005A", "--iad", ""], ["otp", "check-challenge"],
    ]) func `wrong arguments exit with 2, with the usage on standard error`(arguments: [String])
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let plain = try await home.mien(arguments)
        #expect(
            plain.status == 2 && plain.out.isEmpty && plain.err.contains("Usage: mien"), "\(plain)")
        let json = try await home.mien(arguments + ["--json"])
        #expect(json.status == 2 && json.err.contains("Usage: mien"))
        #expect(try json.error.code == "usage")
    }

    @Test(arguments: [
        ("", "name.empty"), ("  ", "name.empty"),
        (String(repeating: "x", count: 65), "name.too-long"),
        ("a\u{7}b", "name.forbidden-character"),
    ])
    func `invalid names are refused`(name: String, code: String) async throws {
        let home = try TemporaryHome(hasPack: false)
        for arguments in [["enroll", name, "a.jpg"], ["remove", name]] {
            let result = try await home.mien(["face"] + arguments + ["--json"])
            #expect(try result.status == 2 && result.error.code == code, "\(result)")
            #expect(!result.err.contains("\u{7}"))
        }
    }

    @Test func `missing and empty folders of people are refused`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let missing = home.files.appending(path: "none").path
        for command in ["calibrate", "evaluate"] {
            let nowhere = try await home.mien("face", command, missing, "--json")
            #expect(
                try nowhere.status == 2 && nowhere.error.code == "folder.missing"
                    && nowhere.err.contains(missing))
            let empty = try await home.mien("face", command, home.files.path, "--json")
            #expect(
                try empty.status == 2 && empty.error.code == "folder.empty"
                    && empty.err.contains(home.files.path))
        }
        let pairs = try await home.mien(
            "face", "evaluate", home.files.path, "--pairs", missing, "--json")
        #expect(pairs.status == 2 && pairs.err.contains(missing))
    }

    @Test(.needsFaces) func `too few people cannot be calibrated but can be evaluated`()
        async throws
    {
        let home = try TemporaryHome()
        let people = home.files.appending(path: "people", directoryHint: .isDirectory)
        for (person, photos) in [("ada", ["obama", "obama2", "obama3"]), ("grace", ["biden"])] {
            let folder = people.appending(path: person, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (number, photo) in photos.enumerated() {
                try FileManager.default.copyItem(
                    at: TemporaryHome.Machine.photos.appending(path: "\(photo).jpg"),
                    to: folder.appending(path: "\(person)_000\(number + 1).jpg"))
            }
        }
        let output = home.files.appending(path: "calibration").path
        let calibrated = try await home.mien(
            "face", "calibrate", people.path, "--output", output, "--json")
        #expect(try calibrated.status == 2 && calibrated.error.code == "calibrate.too-few")
        #expect(!FileManager.default.fileExists(atPath: output))

        let report = home.files.appending(path: "report").path
        let evaluated = try await home.mien(
            "face", "evaluate", people.path, "--output", report, "--json")
        #expect(evaluated.status == 0, "\(evaluated.err)")
        let object = try evaluated.json
        #expect(
            object["photos"] as? Int == 4 && object["people"] as? Int == 2
                && object["mated_pairs"] as? Int == 3
                && object["impostor_pairs"] as? Int == 3)
        #expect(
            object.keys.sorted() == [
                "cross_fitted", "equal_error_rate", "faceless", "groups", "impostor_pairs",
                "mated_pairs",
                "normalization", "people", "photos", "quality", "templates", "thresholds",
                "true_accepts", "unreadable",
            ])
        for name in ["det.png", "det.csv", "report.txt"] {
            #expect(FileManager.default.fileExists(atPath: "\(report)/\(name)"))
        }
        #expect(
            try await home.mien("face", "evaluate", people.path).out.contains(
                "4 photos of 2 people"))
    }
}
