import MienClient
import MienCore
import Testing

/// A check that a computer has begun to move to a phone: a capture, or a verification session.
struct WaitingHandover: Sendable {
    enum Check: String, Sendable {
        case capture = "/verify"
        case verification = "/verify/document"

        /// The cookie with the start token.
        var cookie: String { self == .capture ? "mien_capture" : "mien_verification" }
    }

    private let server: TestServer
    private let check: Check
    private let computer: PageBrowser
    private let csrf: String
    /// The code that the computer shows, and the number that both devices compare.
    private let code, number: String

    /// Opens the link of a check on a computer, which then shows a code for a phone.
    init(_ check: Check, _ link: String, on server: TestServer) async throws {
        (self.server, self.check) = (server, check)
        computer = PageBrowser(server.address)
        csrf = try await Self.csrf(of: computer, check)
        let opened = try await computer.post(
            "\(check.rawValue)/session", json: ["code": .string(Self.code(of: link))], csrf: csrf)
        #expect(opened.status == 200, "\(opened)")
        let begun = try await computer.post("\(check.rawValue)/handoff", json: [:], csrf: csrf)
        let offer = try JSONText.parse(begun.text)
        code = Self.code(of: try #require(offer["link"]?.stringValue, "\(begun)"))
        number = try #require(offer["number"]?.stringValue)
    }

    /// Opens the code on a phone, and lets both sides agree.
    ///
    /// - Returns: The start token that the phone then holds; `nil` if it gets none.
    func goOn() async throws -> String? {
        let phone = PageBrowser(server.address), path = check.rawValue
        let token = try await Self.csrf(of: phone, check)
        let opened = try await phone.post(
            "\(path)/session", json: ["code": .string(code)], csrf: token)
        guard opened.status == 200 else { return nil }
        let agreed = try await phone.post("\(path)/handoff/confirm", json: [:], csrf: token)
        guard agreed.status == 204 else { return nil }
        let confirmed = try await computer.post(
            "\(path)/handoff/confirm", json: ["number": .string(number)], csrf: csrf)
        guard confirmed.status == 204 else { return nil }
        _ = try await phone.get("\(path)/session")
        return await phone.cookies[check.cookie]
    }

    private static func csrf(of browser: PageBrowser, _ check: Check) async throws -> String {
        let page = try await browser.get(check.rawValue)
        return String(
            try #require(page.text.firstMatch(of: /"csrf":"([^"]*)"/)?.output.1, "\(page)"))
    }

    private static func code(of link: String) -> String {
        link.split(separator: "#").last.map(String.init) ?? ""
    }
}
