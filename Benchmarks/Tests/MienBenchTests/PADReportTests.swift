import Foundation
import Testing

@Suite struct PADReportTests {
    private static func line(_ kind: String, _ reason: String?, isAnswered: Bool = true) -> String {
        var reason = reason.map { "\"reason\":\"\($0)\"," } ?? ""
        // The decision about cues gave this reason, and would not have at another threshold.
        if reason.contains("presentation_attack") {
            reason += "\"total\":0.2,"
        } else {
            reason += reason.replacing("reason", with: "otherReason")
        }
        return
            "{\"isAnswered\":\(isAnswered),\"kind\":\"\(kind)\",\"pack\":\"p-1\",\"person\":7,\(reason)\"presentation\":\"require\"}\n"
    }

    @Test func `rates leave presentations without a response out, and intervals are exact`()
        async throws
    {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        let lines =
            Self.line("attack held passive", nil) + Self.line("attack held passive", "blink_missed")
            + Self.line("attack held passive", "source_ended", isAnswered: false)
            + Self.line("attack bent active", "action_missed")
            + Self.line("animated photo active", nil)
            + Self.line("fitted clip, own blink, passive", "presentation_attack")
        try Data(lines.utf8).write(to: file)
        let result = try await BenchProgram.run(["liveness", "pad-report", file.path])
        #expect(result.status == 0, "\(result)")
        for row in [
            "| passive | `held` | 3 | 1 | 50.0 % | 1.3–98.7 % | 33.3 % | `blink_missed` 1, `source_ended` 1 |",
            "| active | `bent` | 1 | 0 | 0.0 % | 0.0–97.5 % | 0.0 % | `action_missed` 1 |",
            "| passive | fitted clip, own blink | 1 | 1 | 100.0 % | 2.5–100.0 % | 0.0 % | `presentation_attack` 1 |",
            "- Active: highest APCER 0.0 %; 0 of 1 over all instruments except the injected animated photo (0.0–97.5 %).",
            "`p-1`, presentation check `require`",
            "| passive | 0.25 | 1 of 3 | 0.8–90.6 % | 0 of 0 | – | 0 of 1 | 0.0–97.5 % |",
        ] { #expect(result.out.contains(row), "\(row)\n\(result.out)") }
    }

    @Test func `a malformed line is named`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{}\n".utf8).write(to: file)
        let result = try await BenchProgram.run(["liveness", "pad-report", file.path])
        #expect(result.status == 2 && result.err.contains("line 1: expected a trial"), "\(result)")
    }
}
