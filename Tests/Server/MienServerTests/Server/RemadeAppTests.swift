import MienClient
import MienCore
import MienTesting
import Testing

/// Mail of an app that was deleted, while another one has its ID.
@Suite(.enabled(if: Installed.isThere, Installed.reason)) struct RemadeAppTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test func `a code that was mailed for an app opens nothing in one that was made again`()
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser(), steps = WaitingSteps(server: server)
            try await PagesTests.makeApp("guest", on: server)
            try await steps.publish()
            let earlier = try await steps.beginCode("code", in: "guest")
            try await server.admin.deleteApp(#require(AppID("guest")))
            server.time.advance(.seconds(2))
            try await PagesTests.makeApp("guest", on: server)
            #expect(try await steps.signedIn(steps.enter(earlier)) == nil)
            let mixed = try await steps.beginCode("code", in: "guest")
            let other = WaitingSteps.Mailed(state: mixed.state, code: earlier.code)
            #expect(try await steps.signedIn(steps.enter(other)) == nil)
            let later = try await steps.beginCode("code", in: "guest")
            #expect(try await steps.signedIn(steps.enter(later)) == user)
        }
    }
}
