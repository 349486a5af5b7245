import Testing

@testable import MienServer

@Suite("Returning to the app")
struct CallbackTests {
    @Test(
        "the parameters are added to the query of the journey's address, before its fragment",
        arguments: [
            ("https://app.example/back", "https://app.example/back?sessionId=s%2B1&state=%26"),
            ("https://app.example/?a=1", "https://app.example/?a=1&sessionId=s%2B1&state=%26"),
            ("https://app.example/?", "https://app.example/?sessionId=s%2B1&state=%26"),
            ("https://app.example/#/face", "https://app.example/?sessionId=s%2B1&state=%26#/face"),
            ("https://app.example/#a?b", "https://app.example/?sessionId=s%2B1&state=%26#a?b"),
        ])
    func callback(address: String, expected: String) {
        #expect(
            WebPages.callback(address, [("sessionId", "s+1"), ("state", "&")]) == expected)
        #expect(WebPages.callback(address, []) == address)
    }
}
