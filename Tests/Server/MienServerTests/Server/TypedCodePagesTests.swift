import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Mailed codes as people type them: with the digits of their keyboard, and with what they add.
@Suite(.enabled(if: Installed.isThere, Installed.reason)) struct TypedCodePagesTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// The digits of another script, of which `zero` is the first one.
    private static func written(_ code: String, from zero: UInt32) throws -> [String] {
        try code.utf8.map { digit in
            let value = zero + UInt32(digit - UInt8(ascii: "0"))
            return String(try #require(Unicode.Scalar(value)))
        }
    }

    @Test(arguments: [0x660, 0x6F0, 0x966, 0xFF10] as [UInt32])
    func `an app passes on a mailed code as it was typed`(zero: UInt32) async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser(), steps = WaitingSteps(server: server)
            try await PagesTests.makeApp("shop", on: server)
            try await steps.publish()
            let mailed = try await steps.beginCode("code", in: "shop")
            let digits = try Self.written(mailed.code, from: zero)
            let typed = digits.prefix(3).joined() + " \u{2011}" + digits.dropFirst(3).joined()
            let entered = WaitingSteps.Mailed(state: mailed.state, code: typed)
            #expect(try await steps.signedIn(steps.enter(entered)) == user)
        }
    }

    @Test(arguments: [0x30, 0x660, 0x966] as [UInt32])
    func `a page reads a mailed code as it was typed, however long it then is`(zero: UInt32)
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let steps = WaitingSteps(server: server)
            try await steps.publish()
            try await PagesTests.makeApp("shop", on: server, ["sign_in_journey": "code"])
            let browser = PageBrowser(server.address)
            let form = try await browser.open("/signin?client_id=shop")
            let asked = try await browser.submit(
                form, ["option": "email_code", "f_user_identifier": "ada"])
            let page = try await browser.open(try #require(asked.location))
            try await eventually { try !steps.codes().isEmpty }
            let digits = try Self.written(try #require(try steps.codes().last), from: zero)
            // Longer than the field of the journey's step takes.
            let typed = digits.joined(separator: " - ")
            #expect(typed.unicodeScalars.count > 20)
            let done = try await browser.submit(
                page, ["option": "client_input", "f_passcode": typed])
            let account = try await browser.open(try #require(done.location))
            #expect(account.status == 200 && account.address.hasPrefix("/account"))
        }
    }
}
