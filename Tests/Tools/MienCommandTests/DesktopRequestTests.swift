import MienTools
import Testing

/// The lines between `pam_mien` and its service, and the limit of attempts.
@Suite struct DesktopRequestTests {
    @Test(arguments: DesktopRequest.Verb.allCases)
    func `a request names a verb and a user`(verb: DesktopRequest.Verb) {
        let request = DesktopRequest(line: Array("mien-desktop/1 \(verb.rawValue) ada.l-2@x".utf8))
        #expect(request?.verb == verb && request?.user == "ada.l-2@x")
    }

    @Test(arguments: [
        "", "mien-desktop/1", "mien-desktop/1 check", "mien-desktop/1 check ",
        "mien-desktop/2 check ada",
        "mien-desktop/1 look ada", "mien-desktop/1 check ada eve", "mien-desktop/1  check ada",
        "mien-desktop/1 check -ada", "mien-desktop/1 check ../ada", "mien-desktop/1 check a\u{0}b",
        "mien-desktop/1 check adä", "mien-desktop/1 check a\tb",
        "mien-desktop/1 check " + String(repeating: "a", count: 33),
        String(repeating: "a", count: 300),
    ])
    func `other lines are no requests`(line: String) {
        #expect(DesktopRequest(line: Array(line.utf8)) == nil)
    }

    @Test func `bytes that are not text are no request`() {
        #expect(DesktopRequest(line: Array("mien-desktop/1 check ".utf8) + [0xFF, 0xFE]) == nil)
    }

    @Test func `every answer is one printable line of at most 255 bytes`() {
        let answers: [DesktopAnswer] =
            [.ready, .accepted, .done] + DesktopAnswer.Refusal.allCases.map { .refused($0) }
            + DesktopAnswer.Obstacle.allCases.map { .unavailable($0) }
        #expect(Set(answers.map(\.line)).count == answers.count)
        for answer in answers {
            #expect(answer.line.utf8.allSatisfy { (32...126).contains($0) })
            #expect(answer.line.utf8.count < 255)
            // The module takes exactly one line for a success.
            #expect((answer.line == "accepted") == (answer == .accepted))
        }
    }

    @Test func `six attempts of a person a minute begin, and others' do not count`() {
        var limits = DesktopLimits()
        func begin(_ user: String, _ seconds: Int) -> Bool {
            limits.begin(user, at: .seconds(seconds))
        }
        for second in 0..<DesktopLimits.perMinute { #expect(begin("ada", second)) }
        #expect(!begin("ada", 59))
        #expect(begin("eve", 59))
        // The first one is a minute old, and refused ones were not counted.
        #expect(begin("ada", 60))
        #expect(!begin("ada", 60))
    }

    @Test func `people beyond the limit are forgotten, the oldest first`() {
        var limits = DesktopLimits()
        func begin(_ user: String, _ seconds: Int) -> Bool {
            limits.begin(user, at: .seconds(seconds))
        }
        for _ in 0..<DesktopLimits.perMinute { _ = begin("ada", 0) }
        for number in 0..<63 { #expect(begin("p\(number)", 1)) }
        #expect(!begin("ada", 2))
        #expect(begin("p63", 2))
        #expect(begin("ada", 2))
    }
}
