import Testing

@testable import MienServer

@Suite("Addresses of proofs")
struct NormalizedAddressTests {
    @Test(
        "spellings of one address are equal",
        arguments: [
            ("https://id.example/oauth2/token", "HTTPS://ID.Example:443/oauth2/token"),
            ("https://id.example/", "https://id.example"),
            ("https://id.example/", "https://id.example:"),
            ("http://[::1]/a", "http://[::1]:80/a"),
            ("https://id.example/a/b", "https://id.example/a/./c/../b"),
            ("https://id.example/a/", "https://id.example/a/b/.."),
            ("https://id.example/~a", "https://id.example/%7ea?b=c#d"),
            ("https://id.example/%2F", "https://id.example/%2f"),
        ])
    func equal(one: String, other: String) {
        #expect(NormalizedAddress(one) != nil)
        #expect(NormalizedAddress(one) == NormalizedAddress(other))
    }

    @Test(
        "other addresses differ",
        arguments: [
            ("https://id.example/a", "http://id.example/a"),
            ("https://id.example/a", "https://id.example/A"),
            ("https://id.example/a", "https://id.example/a/"),
            ("https://id.example/a", "https://id.example:444/a"),
            ("https://id.example/a", "https://id.example.evil/a"),
            ("https://id.example/a%2fb", "https://id.example/a/b"),
            ("https://id.example/%+f", "https://id.example/%0f"),
        ])
    func different(one: String, other: String) {
        #expect(NormalizedAddress(one) != nil)
        #expect(NormalizedAddress(one) != NormalizedAddress(other))
    }

    @Test(
        "other text has no form",
        arguments: [
            "", "id.example/a", "ftp://id.example/", "https://", "https:///a",
            "https://id.example@evil.example/", "https://id.example/ä", "https://[::1/a",
        ])
    func invalid(text: String) { #expect(NormalizedAddress(text) == nil) }
}
