import Foundation
import MienTesting
import Testing

/// `mien journey …`: no model pack, no server.
@Suite struct JourneyCommandTests {
    private static let examples = Repository.root
        .appending(path: "Examples/Journeys", directoryHint: .isDirectory)

    private static func example(_ name: String) -> String { examples.appending(path: name).path }

    @Test func `lint exits with 0 without findings, 1 with a finding, 2 for an invalid journey`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let good = try await home.mien(
            "journey", "lint", Self.example("face-login.json"), Self.example("sign-up.json"))
        #expect(
            good.status == 0 && good.err.isEmpty
                && good.out.contains("face-login.json: no findings."))

        let lame = try home.write(
            #"{"id":"j","version":1,"title":"J","start":"a","steps":{"a":{"type":"complete_journey"}}}"#
                .utf8, as: "lame.json")
        let found = try await home.mien("journey", "lint", lame)
        #expect(
            found.status == 1
                && found.out.contains(
                    "lame.json: error: steps.a: on some path the user has not signed in")
        )
        let json = try await home.mien("journey", "lint", lame, "--json")
        let files = try #require(try json.json["files"] as? [[String: Any]])
        let findings = try #require(files.first?["findings"] as? [[String: Any]])
        #expect(
            json.status == 1 && findings.count == 1
                && findings[0]["code"] as? String == "user_missing"
                && findings[0]["step"] as? String == "a")

        let bad = try home.write(#"{"id":"j","version":1,"titel":"J"}"#.utf8, as: "bad.json")
        for (file, code) in [
            (bad, "journey.malformed"), (home.files.path, "file.is-directory"),
            (home.files.path + "/none.json", "file.not-found"),
        ] {
            let result = try await home.mien("journey", "lint", file, "--json")
            #expect(
                try result.status == 2 && result.error.code == code && result.err.contains(file),
                "\(result)")
        }
        let large = try home.write(
            Array(repeating: UInt8(ascii: " "), count: 300_000), as: "large.json")
        let refused = try await home.mien("journey", "lint", large, "--json")
        #expect(
            try refused.status == 2 && refused.error.code == "journey.malformed"
                && refused.err.contains("262,144 bytes"))
    }

    @Test func `lint takes definitions and recorded tests together`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let all = try FileManager.default.contentsOfDirectory(atPath: Self.examples.path).filter {
            $0.hasSuffix(".json")
        }.sorted()
        // Only a server knows whether it checks documents.
        let document = "document-registration.json"
        let warned = try await home.mien("journey", "lint", Self.example(document), "--json")
        let warnings = try #require(try warned.json["files"] as? [[String: Any]])
            .flatMap { try #require($0["findings"] as? [[String: Any]]) }
        #expect(warned.status == 1 && warnings.count == 1, "\(warned)")
        #expect(warnings.first?["code"] as? String == "documents_unchecked")
        let good = try await home.mien(
            ["journey", "lint"] + all.filter { $0 != document }.map(Self.example))
        #expect(good.status == 0 && good.err.isEmpty, "\(good)")
        #expect(
            all.contains("face-login.test.json")
                && good.out.contains("face-login.test.json: no findings."))

        let wrong = try String(
            contentsOfFile: Self.example("password-login.test.json"), encoding: .utf8
        ).replacing("\"password-login.json\"", with: "\"\(Self.example("password-login.json"))\"")
            .replacing("\"pwd\"", with: "\"face\"")
        let file = try home.write(wrong.utf8, as: "wrong.test.json")
        let found = try await home.mien(
            "journey", "lint", Self.example("password-login.json"), file, "--json")
        let files = try #require(try found.json["files"] as? [[String: Any]])
        let findings = try files.map { try #require($0["findings"] as? [[String: Any]]) }
        #expect(found.status == 1 && findings[0].isEmpty && !findings[1].isEmpty)
        #expect(findings[1].allSatisfy { $0["code"] as? String == "test_failed" })
    }

    @Test func `show prints a table, two graph formats, and JSON`() async throws {
        let home = try TemporaryHome(hasPack: false), file = Self.example("password-login.json")
        let table = try await home.mien("journey", "show", file)
        #expect(
            table.status == 0
                && table.out.contains("check    authenticate_password          success → done"),
            "\(table.out)")
        #expect(
            try await home.mien("journey", "show", file, "--dot").out.hasPrefix(
                "digraph journey {\n"))
        #expect(
            try await home.mien("journey", "show", file, "--mermaid").out.hasPrefix(
                "flowchart TD\n"))
        let json = try await home.mien("journey", "show", file, "--json").json
        #expect(json["id"] as? String == "password-login" && (json["steps"] as? [Any])?.count == 5)
        #expect(try await home.mien("journey", "show", file, "--json", "--dot").status == 2)
        #expect(try await home.mien("journey", "show", file, "--mermaid", "--dot").status == 2)
    }

    @Test func `test passes every example, and exits with 1 and the difference for a failing case`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.examples.path).filter {
            $0.hasSuffix(".test.json")
        }.sorted()
        let all = try await home.mien(["journey", "test"] + names.map(Self.example))
        #expect(all.status == 0 && all.err.isEmpty, "\(all.out)")
        #expect(
            names.count == 13 && names.allSatisfy { all.out.contains($0) }
                && !all.out.contains("✘"))

        let text =
            #"{"journey":"\#(Self.example("password-login.json"))","cases":[{"name":"at once","ends":"success"}]}"#
        let wrong = try home.write(text.utf8, as: "wrong.test.json")
        let failed = try await home.mien("journey", "test", wrong)
        #expect(
            failed.status == 1 && failed.out.contains("✘")
                && failed.out.contains("end: expected success, got a prompt for loginForm (“form”)")
        )
        let json = try await home.mien("journey", "test", wrong, "--json")
        let files = try #require(try json.json["files"] as? [[String: Any]])
        let cases = try #require(files.first?["cases"] as? [[String: Any]])
        #expect(
            json.status == 1 && cases.first?["passed"] as? Bool == false
                && files.first?["ways"] as? Int == 4)

        let lost = try home.write(
            #"{"journey":"nowhere.json","cases":[]}"#.utf8, as: "lost.test.json")
        let nowhere = try await home.mien("journey", "test", lost, "--json")
        #expect(
            try nowhere.status == 2 && nowhere.error.code == "file.not-found"
                && nowhere.err.contains("nowhere.json"))
        let none = try home.write(#"{"journey":"x.json","cases":1}"#.utf8, as: "none.test.json")
        let malformed = try await home.mien("journey", "test", none, "--json")
        #expect(try malformed.status == 2 && malformed.error.code == "journey.test-malformed")
    }

    @Test func `schema prints the published schema`() async throws {
        let published = try String(
            contentsOf: Self.examples.appending(path: "../../docs/spec/journey.schema.json"),
            encoding: .utf8)
        #expect(try await TemporaryHome(hasPack: false).mien("journey", "schema").out == published)
    }
}

/// The commands for editors of journeys.
extension JourneyCommandTests {
    @Test func `schema --step prints one step's settings, and names the types for a typo`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let schema = try await home.mien("journey", "schema", "--step", "identity_verification")
        let properties = try #require(try schema.json["properties"] as? [String: Any])
        #expect(schema.status == 0 && properties["documents"] != nil)
        let typo = try await home.mien("journey", "schema", "--step", "selfie")
        #expect(typo.status == 2 && typo.err.contains("selfie_acquisition"))
    }

    @Test func `variables lists what each step can read`() async throws {
        let home = try TemporaryHome(hasPack: false), file = Self.example("face-login.json")
        let table = try await home.mien("journey", "variables", file, "--step", "check_password")
        #expect(table.status == 0)
        #expect(table.out.contains(/check_password +loginData\.password +secret/))
        #expect(table.out.contains(/check_password +loginData\.username +always/))
        let json = try await home.mien("journey", "variables", file, "--json")
        let steps = try #require(try json.json["steps"] as? [[String: Any]])
        #expect(steps.count == 8)
        let wrong = try await home.mien("journey", "variables", file, "--step", "x", "--json")
        #expect(try wrong.status == 2 && wrong.error.code == "journey.no-step")
    }

    @Test func `codegen prints client code or writes it to a file`() async throws {
        let home = try TemporaryHome(hasPack: false), file = Self.example("face-login.json")
        let swift = try await home.mien("journey", "codegen", file, "--language", "swift")
        #expect(swift.status == 0 && swift.out.contains("public enum FaceLoginJourney {"))
        let path = home.files.appending(path: "face-login.ts").path
        let script = try await home.mien(
            "journey", "codegen", file, "--language", "typescript", "--output", path)
        #expect(script.status == 0)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8).contains("export const form = {"))
        let kotlin = try await home.mien("journey", "codegen", file, "--language", "kotlin")
        #expect(kotlin.status == 0 && kotlin.out.contains("object FaceLoginJourney {"))
        let unknown = try await home.mien("journey", "codegen", file, "--language", "cobol")
        #expect(unknown.status == 2 && unknown.err.contains("typescript"))
    }
}
