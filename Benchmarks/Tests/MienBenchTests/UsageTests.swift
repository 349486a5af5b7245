import Foundation
import Testing

/// Help, wrong arguments, and missing prerequisites.
@Suite struct UsageTests {
    /// The words of every public command, from the program's own description.
    private static func commands() async throws -> [[String]] {
        let result = try await BenchProgram.run(["--experimental-dump-help"])
        let top = try #require(
            try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any])
        func walk(_ command: [String: Any], _ words: [String]) -> [[String]] {
            let parts = (command["subcommands"] as? [[String: Any]] ?? []).filter {
                // Hidden helpers are not public commands.
                $0["commandName"] as? String != "help" && $0["shouldDisplay"] as? Bool != false
            }
            return [words]
                + parts.flatMap { walk($0, words + [$0["commandName"] as? String ?? "?"]) }
        }
        return walk(try #require(top["command"] as? [String: Any]), [])
    }

    @Test func `every command's help has an example`() async throws {
        let commands = try await Self.commands()
        #expect(
            commands.map { $0.joined(separator: " ") } == [
                "", "pipeline", "accuracy", "strength", "live", "server", "servers", "captures",
                "documents",
                "zones",
                "portraits",
                "verifications", "identity", "matching", "portal", "gallery", "liveness",
                "liveness attacks",
                "liveness genuine", "liveness replays", "liveness cues", "liveness presentation",
                "liveness pad", "liveness pad-report", "liveness injection",
                "liveness enrollment", "liveness enrollment-rates",
            ])
        for words in commands {
            let help = try await BenchProgram.run(words + ["--help"])
            #expect(help.status == 0 && help.out.contains("EXAMPLE"), "\(words)")
        }
    }

    @Test(arguments: [
        ["nonsense"], ["pipeline", "--repeats", "1"], ["pipeline", "--gallery", "0"],
        ["pipeline", "--compare"], ["pipeline", "--pack", "A B"], ["pipeline", "--loud"],
        ["documents", "--count", "7"], ["documents", "--first", "-1"],
        ["accuracy"], ["strength", "photos", "--every", "0"], ["live", "--repeats", "2"],
        ["live", "--frames", "10"],
        ["documents", "--tilts", "-1"], ["zones"],
        ["server", "--seconds", "0"], ["server", "--concurrent", "0"],
        ["captures", "--concurrent", "0"], ["captures", "--rate", "31"],
        ["server", "--journeys", "100"], ["identity", "--people", "99"],
        ["identity", "--verifications", "19"], ["matching", "--pairs", "99"],
        ["liveness", "attacks", "photos"],
        ["liveness", "attacks", "photos", "0"], ["liveness", "attacks", "photos", "3", "x"],
        ["liveness", "genuine"], ["liveness", "replays"], ["liveness", "cues", "photos", "0"],
        ["liveness", "pad"], ["liveness", "pad", "--photos", "photos", "--people", "0"],
        ["liveness", "pad", "--clips", "clips", "--part", "all"], ["liveness", "pad-report"],
        ["liveness", "enrollment-rates", "clips", "photos", "--people", "1"],
    ])
    func `wrong arguments are bad input, with a hint`(_ arguments: [String]) async throws {
        let result = try await BenchProgram.run(arguments)
        #expect(result.status == 2 && result.out.isEmpty, "\(result)")
        #expect(result.err.contains("mien-bench"), "\(result)")
    }

    @Test(arguments: [
        ["accuracy"], ["liveness", "genuine"], ["liveness", "replays"],
    ])
    func `a missing folder is bad input`(_ command: [String]) async throws {
        let result = try await BenchProgram.run(command + ["/nonexistent/folder"])
        #expect(
            result.status == 2 && result.err.contains("/nonexistent/folder: the folder does not"),
            "\(result)")
    }

    @Test(arguments: [["attacks"], ["cues"]])
    func `a missing folder of photos is bad input`(_ command: [String]) async throws {
        let result = try await BenchProgram.run(["liveness"] + command + ["/nonexistent", "3"])
        #expect(
            result.status == 2 && result.err.contains("/nonexistent: the folder does not"),
            "\(result)")
    }

    @Test(arguments: ["pipeline", "server", "identity"])
    func `a missing program is not set up`(_ command: String) async throws {
        let result = try await BenchProgram.run([command, "--mien", "/nonexistent", "--json"])
        #expect(
            result.status == 3 && result.errorCode == "bench.program"
                && result.err.contains("/nonexistent"), "\(result)")
    }

    @Test func `a missing model pack is not set up`() async throws {
        let result = try await BenchProgram.run(["live", "--json"])
        #expect(result.status != 0 && result.errorCode?.hasPrefix("pack.") == true, "\(result)")
    }
}
