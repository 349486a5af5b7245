import FakePhone
import Foundation
import MienClient

/// Hosted pages in the system's browser.
@MainActor let browserTests = [
    AppleTest(
        "a person signs in on the server's page in the system's browser",
        shows: ["sign-in page in the system's browser"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user()
        let session = try MienSession(server.options(app))
        try await session.configure()
        let visitor = PageVisitor(user: user, password: Server.password)
        FakePhone.shared.with { $0.browser = { try await visitor.visit($0, until: $1) } }
        let info = try await session.authenticate(
            redirectURI: "com.example.shop://signed-in", presenter: SystemBrowser.presenter())
        expect(info.sub == server.ids[user])
        expect(await session.state == .signedIn)
    },
    AppleTest("closing the browser cancels, and another app's redirect is refused") {
        let server = try await Servers.server(), app = try await server.app()
        let session = try MienSession(server.options(app))
        try await session.configure()
        func signIn() async -> (any Error)? {
            await error {
                try await session.authenticate(
                    redirectURI: "com.example.shop://signed-in",
                    presenter: SystemBrowser.presenter())
            }
        }
        FakePhone.shared.with { $0.browser = { _, _ in throw FakeBrowserError(1) } }
        expect(await signIn() is CancellationError)
        FakePhone.shared.with { $0.browser = { _, _ in throw FakeBrowserError(3) } }
        expect((await signIn() as? MienError)?.code == .invalidState)
        FakePhone.shared.with {
            $0.browser = { _, _ in URL(string: "com.example.shop://signed-in?code=x&state=y")! }
        }
        expect((await signIn() as? MienError)?.code == .invalidState)
        expect(await session.state == .signedOut(.notYet))
    },
    AppleTest("only pages of the web are opened, and they return only to a scheme of the app") {
        FakePhone.shared.with { $0.browser = { url, _ in url } }
        for (page, scheme) in [
            ("javascript:alert(1)", "com.example.shop"), ("file:///etc/passwd", "com.example.shop"),
            ("other.app://x", "com.example.shop"), ("", "com.example.shop"),
            ("https://login.example.org", "https"), ("https://login.example.org", "HTTP"),
            ("https://login.example.org", "com.example.shop://back"),
            ("https://login.example.org", ""), ("https://login.example.org", "é"),
        ] {
            let found = await error { try await SystemBrowser.open(page, until: scheme) }
            expect((found as? MienError)?.code == .invalidState, "\(page) \(scheme)")
        }
    },
    AppleTest("canceling the task closes the browser") {
        FakePhone.shared.with {
            $0.browser = { url, _ in
                try await Task.sleep(for: .seconds(60))
                return url
            }
        }
        let task = Task {
            try await SystemBrowser.open(
                "https://login.example.org/verify", until: "com.example.shop")
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        expect(await error { _ = try await task.value } is CancellationError)
    },
]
