import MienAPI
import Testing

@Suite struct MailboxTests {
    @Test(arguments: [
        ("ana@example.org", "ana@EXAMPLE.org"), ("ana@example.org", " ana@example.org\n"),
        ("ana@BÜCHER.example", "ana@xn--bcher-kva.example"),
        ("ana@bu\u{308}cher。example", "ana@bücher.example"),
    ])
    func `spellings of a domain name one mailbox`(first: String, second: String) {
        #expect(Mailbox(first) == Mailbox(second))
    }

    @Test(arguments: [
        ("ana@example.org", "Ana@example.org"), ("ana@example.org", "ａna@example.org"),
        ("\u{E9}va@example.org", "e\u{301}va@example.org"), ("ana@faß.de", "ana@fass.de"),
        ("ana@example.org", "ana@example.com"), ("ana", "Ana"), ("ana@a@b.org", "ana@A@b.org"),
    ])
    func `spellings before the sign may name different mailboxes`(first: String, second: String) {
        #expect(Mailbox(first) != Mailbox(second))
    }
}
