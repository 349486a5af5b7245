import Testing

@testable import MienServer

@Suite("Names of the admin listener")
struct HostMiddlewareTests {
    private static let hosts = HostMiddleware(names: ["admin.example.org", "Metrics.internal"])

    @Test(
        "its own names and every address are accepted",
        arguments: [
            "localhost", "localhost:8081", "LOCALHOST:8081", "localhost.", "127.0.0.1:8081",
            "10.0.0.7", "[::1]", "[::1]:8081", "[2001:db8::7]:8081", "[::ffff:127.0.0.1]:1",
            "admin.example.org", "ADMIN.example.org:443", "admin.example.org.:8081",
            "metrics.internal:9100",
        ])
    func own(authority: String) { #expect(Self.hosts.isOwn(authority)) }

    @Test(
        "the names of others are refused, however they are written",
        arguments: [
            "", ":8081", "evil.example", "evil.example:8081", "localhost.evil.example",
            "evil-localhost", "admin.example.org.evil.example", "evil.admin.example.org",
            "admin.example.org@evil.example", "evil.example@admin.example.org", "localhost:80:81",
            "localhost..", "127.0.0.1.evil.example", "127.0.0.1.", "0x7f.1", "2130706433",
            "[evil.example]", "[127.0.0.1]", "[::1", "::1", "[::1]evil", "[::1]:80x",
            "localhost:-1",
            "localhost:8081/", "localhost evil.example", "localhost,evil.example", "löcalhost",
        ])
    func others(authority: String) { #expect(!Self.hosts.isOwn(authority)) }
}
