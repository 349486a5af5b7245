import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// An address that an administrator replaces by one that people could sign in with just as well, but
/// that may be another mailbox.
@Suite(.enabled(if: Installed.isThere, Installed.reason)) struct RespelledAddressTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(arguments: [("ADA@example.org", false), ("ada@EXAMPLE.ORG", true)])
    func `what was mailed to another spelling of an address ends, unless only the domain differs`(
        address: String, isSameMailbox: Bool
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser(), steps = WaitingSteps(server: server)
            try await PagesTests.makeApp("shop", on: server)
            try await steps.publish()
            let code = try await steps.beginCode("code", in: "shop")
            let run = try await steps.enter(steps.beginCode("wait", in: "shop"))
            _ = try await server.admin.updateUser(user, UserRequest(email: address))
            let wanted = isSameMailbox ? user : nil
            #expect(try await steps.signedIn(steps.enter(code)) == wanted)
            #expect(try await steps.signedIn(steps.goOn(run)) == wanted)
            // A code that is mailed now counts.
            #expect(
                try await steps.signedIn(steps.enter(steps.beginCode("code", in: "shop"))) == user)
        }
    }
}
