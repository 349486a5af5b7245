import Foundation
import MienMedia
import Testing

/// `mien demo`, the first command that people run.
@Suite struct DemoTests {
    @Test(.needsFaces) func `matches the person, refuses the stranger, draws a picture`()
        async throws
    {
        let home = try TemporaryHome()
        let result = try await home.mien("demo")
        #expect(result.status == 0 && result.err.isEmpty, "\(result)")
        let lines = result.out.split(separator: "\n")
        let matches = lines.filter { $0.contains("  match  ") },
            refused = lines.filter { $0.contains("  refused  ") }
        #expect(matches.count == 4 && matches.allSatisfy { $0.hasPrefix("obama") })
        #expect(refused.count { $0.hasPrefix("biden.jpg") } == 1)
        // Over HTTP, the stranger is refused five times, then the owner from an unknown device.
        #expect(refused.count == 7 && lines.count { $0.contains("  success  ") } == 4)
        for outcome in ["ALLOW, verified", "CHALLENGE", "DENY", "3 genuine", "0 genuine"] {
            #expect(lines.count { $0.contains("  \(outcome)  ") } == 1, "\(outcome)")
        }
        #expect(lines.count { $0.contains("  succeeded  ") } == 1)
        #expect(lines.count { $0.contains("  failed  ") } == 2)
        let picture = home.mienHome.appending(path: "demo/annotated.png").path
        #expect(result.out.contains("Annotated picture: \(picture)"))
        #expect(try ImageFile.decode(picture).width > 0)
        #expect(
            home.records.isEmpty && !FileManager.default.fileExists(atPath: home.key.path),
            "the demo's people were stored in the user's home")
    }

    @Test(.needsFaces) func `--json gives the same results, and --draw chooses the picture's file`()
        async throws
    {
        let home = try TemporaryHome()
        let picture = home.files.appending(path: "drawn.png").path
        let result = try await home.mien("demo", "--draw", picture, "--json")
        let object = try result.json
        #expect(
            result.status == 0
                && object.keys.sorted() == [
                    "annotated", "documents", "enrolled", "identities", "logins", "rows",
                    "threshold",
                ])
        #expect(object["annotated"] as? String == picture && object["threshold"] as? Double == 48)
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(
            rows.count == 5
                && rows.allSatisfy {
                    $0.keys.sorted() == ["expected", "match", "milliseconds", "photo", "result"]
                })
        #expect(rows.allSatisfy { $0["expected"] as? Bool == $0["match"] as? Bool })
        let logins = try #require(object["logins"] as? [[String: Any]])
        #expect(
            logins.count == 13
                && logins.allSatisfy { $0["expected"] as? String == $0["got"] as? String })
        let identities = try #require(object["identities"] as? [[String: Any]])
        #expect(
            identities.count == 7
                && identities.allSatisfy { $0["expected"] as? String == $0["got"] as? String })
        let documents = try #require(object["documents"] as? [[String: Any]])
        #expect(documents.map { $0["got"] as? String } == ["succeeded", "failed", "failed"])
        #expect(try ImageFile.decode(picture).width > 0)
    }

    @Test func `without its photos, the demo says which one is missing and what to do`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        try FileManager.default.removeItem(at: home.mienHome.appending(path: "demo/photos"))
        let result = try await home.mien("demo", "--json")
        #expect(
            try result.status == 3 && result.error.code == "demo.photos"
                && result.err.contains("scripts/setup"))
    }
}
