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

    @Test(arguments: [false, true])
    func `what was mailed to another spelling of an address ends, unless only the domain differs`(
        isSameMailbox: Bool
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            let steps = WaitingSteps(server: server)
            try await PagesTests.makeApp("shop", on: server)
            try await steps.publish()
            // A run that waits ends in either case.
            for isRun in isSameMailbox ? [false] : [false, true] {
                let (name, journey) = isRun ? ("eve", "wait") : ("ada", "code")
                let user = try await server.makeUser(name)
                let mailed = try await steps.beginCode(journey, in: "shop", of: name)
                let run: JSONValue = isRun ? try await steps.enter(mailed) : .null
                let address =
                    isSameMailbox ? "\(name)@EXAMPLE.ORG" : "\(name.uppercased())@example.org"
                _ = try await server.admin.updateUser(user, UserRequest(email: address))
                let answer =
                    isRun ? try await steps.goOn(run) : try await steps.enter(mailed)
                let found = try steps.signedIn(answer)
                #expect(found == (isSameMailbox ? user : nil), "\(journey)")
                // A code that is mailed now counts.
                let again = try await steps.beginCode("code", in: "shop", of: name)
                #expect(try await steps.signedIn(steps.enter(again)) == user)
            }
        }
    }
}
