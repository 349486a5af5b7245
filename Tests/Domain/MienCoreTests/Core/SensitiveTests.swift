import MienCore
import Testing

@Suite("Sensitive")
struct SensitiveTests {
    private static let word = "hunter" + "2"
    private let secret = Sensitive(word)

    @Test("print and interpolation show only the mask")
    func printed() {
        var out = ""
        print(secret, to: &out)
        #expect(out == "‹sensitive›\n")
        #expect("\(secret)" == "‹sensitive›")
        #expect(String(reflecting: secret) == "‹sensitive›")
        #expect(secret.debugDescription == "‹sensitive›")
    }

    @Test("dump shows nothing, nor does a dump of a containing value")
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

    @Test("use passes the value and returns the closure's result")
    func lent() { #expect(secret.use(\.count) == 7) }

    @Test("use rethrows the closure's error")
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
