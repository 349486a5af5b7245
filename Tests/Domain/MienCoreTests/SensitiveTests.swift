import MienCore
import Testing

@Suite("Sensitive")
struct SensitiveTests {
    private static let word = "hunter" + "2"
    private let secret = Sensitive(word)

    @Test("print and interpolation show that there is something, not what")
    func printed() {
        var out = ""
        print(secret, to: &out)
        #expect(out == "‹sensitive›\n")
        #expect("\(secret)" == "‹sensitive›")
        #expect(String(reflecting: secret) == "‹sensitive›")
        #expect(secret.debugDescription == "‹sensitive›")
    }

    @Test("dump shows nothing, nor does a dump of what holds it")
    func dumped() {
        struct Request {
            let id = 7
            let name: Sensitive<String>
        }
        var out = ""
        dump(secret, to: &out)
        dump(Request(name: secret), to: &out)
        dump([secret], to: &out)
        dump(Optional(secret), to: &out)
        #expect(out.contains("id: 7"))
        #expect(!out.contains(Self.word))
    }

    @Test("reflection finds no children")
    func reflected() { #expect(Mirror(reflecting: secret).children.isEmpty) }

    @Test("a failed expectation shows the mask")
    func failedExpectation() {
        let other = Sensitive("nothing"), secret = secret
        withKnownIssue {
            #expect(secret == other)
        } matching: { issue in
            let text = "\(issue) \(String(reflecting: issue))"
            return !text.contains(Self.word) && text.contains("‹sensitive›")
        }
    }

    @Test("the value is lent and what comes back is the borrower's answer")
    func lent() { #expect(secret.use(\.count) == 7) }

    @Test("what the borrower throws comes through")
    func rethrown() {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try secret.use { (_: String) throws(Refused) -> Int in throw Refused() }
        }
    }

    @Test("equal values are equal and hash alike")
    func equality() {
        #expect(secret == Sensitive(Self.word))
        #expect(secret != Sensitive("hunter3"))
        #expect(Set([secret, Sensitive(Self.word)]).count == 1)
    }
}
