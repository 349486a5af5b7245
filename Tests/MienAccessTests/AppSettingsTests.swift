import Foundation
import MienAccess
import MienCore
import Testing

@Suite struct AppSettingsTests {
    static func decode(_ json: String) throws -> AppSettings { try JSONDecoder().decode(AppSettings.self, from: Data(json.utf8)) }

    @Test func `nothing set is the defaults`() throws {
        let settings = try Self.decode("{}")
        #expect(settings == AppSettings() && settings.faults.isEmpty)
        #expect(settings.tokenSeconds == 300 && settings.journeys == nil && settings.lockPolicy(for: .face) == .face)
        #expect(settings.lockPolicy(for: .password) == .secret)
    }

    /// "Failed attempts" and "lockout duration" of the face-authentication guide, by their names.
    @Test func `the guide's two settings rule`() throws {
        let settings = try Self.decode(#"{"locks": {"face": {"failed_attempts": 3, "lockout_seconds": 600}}}"#)
        #expect(settings.faults.isEmpty)
        #expect(try settings.lockPolicy(for: .face) == LockPolicy(failedAttempts: 3, lockoutSeconds: 600, disableAfter: 50))
        #expect(settings.lockPolicy(for: .emailCode) == .secret)
    }

    @Test func `written and read, settings are the same`() throws {
        let settings = AppSettings(
            redirectURIs: ["https://app.example.org/back"], journeys: [JourneyID("face-login")!, JourneyID("sign-up")!],
            locks: ["face": .face, "password": .secret], faceThreshold: 50.5, tokenSeconds: 3600)
        #expect(try JSONDecoder().decode(AppSettings.self, from: JSONEncoder().encode(settings)) == settings)
        #expect(try Self.decode(#"{"journeys": []}"#).journeys == [], "none is not every one")
        let object = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(settings)) as? [String: Any])
        #expect(object.keys.sorted() == AppSettings.keys.sorted())
    }

    @Test(arguments: [
        "https://app.example.org", "https://app.example.org/back?from=mien", "https://app.example.org:8443/back", "http://localhost",
        "http://localhost:3000/back", "http://127.0.0.1/x", "http://[::1]:8080", "https://[2001:db8::1]/", "http://localhost?x=1",
    ])
    func `addresses to send a browser back to`(uri: String) { #expect(AppSettings(redirectURIs: [uri]).faults.isEmpty) }

    @Test(arguments: [
        "", "https://", "https:///back", "https://?x", "http://example.org", "http://localhost.example.org", "http://localhost:x@example.org/",
        "http://127.0.0.1:80@example.org", "https://app.example.org@evil.example", "https://app.example.org\\@evil.example/", "//example.org",
        "https://example.org/#part", "https://example.org/ x", "https://exämple.org", "javascript://localhost/%0aalert(1)", "HTTP://localhost",
        "https://example.org:99999/", "https://example.org:/", "myapp:/back", "https://example.org/\u{7F}",
        "https://example.org/" + String(repeating: "a", count: 2048),
    ])
    func `no address to send a browser back to`(uri: String) {
        let faults = AppSettings(redirectURIs: ["https://app.example.org", uri]).faults
        #expect(faults.map(\.setting) == ["redirect_uris[1]"])
    }

    @Test func `every fault is named`() {
        let settings = AppSettings(
            redirectURIs: Array(repeating: "https://a.example", count: 101), locks: ["smile": .face, "face": .face, "hand": .face],
            faceThreshold: 23.9, tokenSeconds: 29)
        #expect(settings.faults.map(\.setting) == ["redirect_uris", "locks.hand", "locks.smile", "face_threshold", "token_seconds"])
        #expect(settings.faults[1].message == "is no authenticator; there are password, face, native_biometrics, email_code")
    }

    @Test(arguments: [(24.0, true), (72, true), (72.1, false), (.nan, false), (-.infinity, false)])
    func `face thresholds have a range`(threshold: Double, isFit: Bool) {
        #expect(AppSettings(faceThreshold: threshold).faults.isEmpty == isFit)
    }

    @Test(arguments: [(30, true), (3600, true), (3601, false), (-1, false)])
    func `tokens live between half a minute and an hour`(seconds: Int, isFit: Bool) {
        #expect(AppSettings(tokenSeconds: seconds).faults.isEmpty == isFit)
    }

    @Test(arguments: [
        #"{"locks": {"face": {"failed_attempts": 0, "lockout_seconds": 600}}}"#, #"{"locks": []}"#, #"{"redirect_uris": "x"}"#,
        #"{"journeys": ["a b"]}"#, #"{"token_seconds": 30.5}"#,
    ])
    func `settings of another shape are refused`(json: String) { #expect(throws: (any Error).self) { try Self.decode(json) } }

    @Test func `states and types have their words`() {
        #expect(AccountState.allCases.map(\.rawValue) == ["active", "suspended"])
        #expect(AppType.allCases.map(\.rawValue) == ["public", "confidential"])
    }
}
