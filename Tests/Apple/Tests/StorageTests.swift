import FakePhone
import Foundation
import MienClient
import MienCore

/// Secrets that are kept in the keychain without a word of the app.
@MainActor let storageTests = [
    AppleTest(
        "device tokens are in the keychain by default, apart for each app and server",
        shows: ["device tokens in the system's store"]
    ) {
        let one = DeviceTokenKey(server: "https://one.example", application: "shop")
        let two = DeviceTokenKey(server: "https://two.example", application: "shop")
        try await MienOptions(serverPath: "https://one.example").deviceTokens.store(
            Sensitive("secret"), for: one)
        // The app was closed, and begins again.
        let tokens = MienOptions(serverPath: "https://one.example").deviceTokens
        expect(try await tokens.token(for: one)?.use { $0 } == "secret")
        expect(try await tokens.token(for: two) == nil)
        try await tokens.store(Sensitive("new"), for: one)
        expect(try await tokens.token(for: one)?.use { $0 } == "new")
        try await tokens.remove(one)
        expect(try await tokens.token(for: one) == nil)
    },
    AppleTest(
        "a sign-in survives the end of the app in the keychain, and not with TransientTokenStorage",
        shows: ["refresh tokens in the system's store", "session bound to a key (DPoP)"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user()
        _ = try await server.session(app, user)
        let again = try MienSession(server.options(app))
        try await again.configure()
        expect(await again.state == .signedIn)
        expect(try await again.userInfo().sub == server.ids[user])
        try await again.signOut()
        let third = try MienSession(server.options(app))
        try await third.configure()
        expect(await third.state == .signedOut(.notYet))
        _ = try await server.session(app, user, storage: TransientTokenStorage())
        let fourth = try MienSession(server.options(app), tokenStorage: TransientTokenStorage())
        try await fourth.configure()
        expect(await fourth.state == .signedOut(.notYet))
    },
]
