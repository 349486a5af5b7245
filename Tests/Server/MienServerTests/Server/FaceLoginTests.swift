import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@Suite("Face login over HTTP", .enabled(if: Installed.isThere, Installed.reason))
struct FaceLoginTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "a face registered with one photo admits its owner with another and nobody else; the token names the user"
    )
    func loginAndToken() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            guard case .success = try await server.registerFace() else {
                Issue.record("the face was not registered")
                return
            }
            let token = try #require(try await server.logIn(photo: "obama2"))
            #expect(try await server.logIn(photo: "biden") == nil)
            #expect(try await server.logIn("nobody", photo: "obama2") == nil)

            let (status, keys) = try await server.send(.get, "/.well-known/jwks.json")
            #expect(status == 200)
            let claims = try token.use { try Self.verified($0, keys: keys) }
            #expect(claims["sub"]?.stringValue == user.text)
            #expect(
                claims["aud"] == "default_application"
                    && claims["iss"]?.stringValue == server.address)
            #expect(claims["amr"] == ["face"] && claims["journey"] == "face-login")
            #expect(claims["exp"]?.numberValue == Double(server.time.now.seconds + 300))
        }
    }

    @Test("strangers lock out themselves, not the owner; time or an administrator lifts the lock")
    func locking() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            _ = try await server.registerFace()
            let phone = MemoryDeviceTokens()
            #expect(try await server.logIn(photo: "obama2", from: server.client(phone)) != nil)
            for _ in 1...5 { #expect(try await server.logIn(photo: "biden") == nil) }
            #expect(try await server.logIn(photo: "obama3") == nil, "locked for unknown devices")
            #expect(
                try await server.logIn(photo: "obama3", from: server.client(phone)) != nil,
                "a known device has its own counter")
            let locked = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.face) })
            #expect(locked.lock == .known(.locked) && locked.failures == 5)

            server.time.advance(.seconds(31))
            #expect(try await server.logIn(photo: "biden") == nil)
            #expect(
                try await server.logIn(photo: "obama3") == nil,
                "one failure after the lock locks again")
            try await server.admin.unlock(try #require(AuthenticatorID(locked.id)), of: user)
            #expect(try await server.logIn(photo: "obama3") != nil)
        }
    }

    @Test(
        "withdrawn consent erases the face; a deleted user is gone; the audit log is intact and records both"
    )
    func erasing() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            _ = try await server.registerFace()
            let app = try #require(AppID("default_application"))
            let consent = try #require(try await server.admin.consents(of: user).first)
            #expect(consent.textVersion == "face-2" && consent.withdrawnAt == nil)
            try await server.admin.withdrawConsent(of: user, to: app)
            #expect(
                try await server.admin.authenticators(of: user).map(\.type) == [.known(.password)])
            #expect(try await server.logIn(photo: "obama2") == nil)
            try await server.admin.deleteUser(user)
            await #expect(throws: MienError.self) { try await server.admin.user(user) }
            let events = try await server.admin.audit(user: user).items.map(\.event)
            #expect(events.contains("consent.withdrawn") && events.contains("user.deleted"))
            #expect(try await server.admin.verifyAudit().isWhole)
        }
    }

    @Test(
        "a password alone does not replace a face; once it is erased, another can be registered; two people in one capture end it"
    )
    func replacing() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            _ = try await server.registerFace(photo: "obama")
            // The account can still reach two factors, password and face, so one factor is too weak
            // to replace the face.
            guard case .rejection? = try await server.registerFace(photo: "biden") else {
                Issue.record("a password alone replaced a face")
                return
            }
            #expect(try await server.logIn(photo: "obama2") != nil)
            #expect(try await server.logIn(photo: "biden") == nil)
            try await server.admin.withdrawConsent(of: user, to: AppID("default_application")!)
            _ = try await server.registerFace(photo: "biden")
            #expect(try await server.logIn(photo: "obama2") == nil)
            #expect(try await server.logIn(photo: "biden") != nil)
            #expect(
                try await server.admin.authenticators(of: user).count { $0.type == .known(.face) }
                    == 1)

            let journey = try await server.client().start("face-registration")
            try await journey.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            try await journey.respond(.clientInput)
            let session = try await journey.captureSession()
            #expect(
                try await session.submitFrame(Installed.photo("obama")).status == .known(.passed))
            let second = try await session.submitFrame(Installed.photo("biden"))
            #expect(second.status == .known(.failed) && second.guidance == [.known(.differentFace)])
            await #expect(throws: MienError.self) {
                try await session.submitFrame(Installed.photo("obama"))
            }
        }
    }

    @Test("several photos make one template, and no picture is stored")
    func photos() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            let journey = try await server.client().start("face-registration")
            try await journey.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            try await journey.respond(.clientInput)
            let session = try await journey.captureSession()
            for photo in ["obama", "obama2", "obama3"] {
                #expect(
                    try await session.submitFrame(Installed.photo(photo)).status == .known(.passed))
            }
            try await journey.respond(.clientInput)
            let face = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.face) })
            #expect(face.info["photos"] == 3)
            let photo = Data(Installed.photo("obama")[20_000..<20_064])
            for file in try FileManager.default.contentsOfDirectory(
                at: server.folder, includingPropertiesForKeys: nil)
            where file.lastPathComponent.hasPrefix("mien.sqlite") {
                #expect(
                    try Data(contentsOf: file).range(of: photo) == nil,
                    "\(file.lastPathComponent) contains part of the picture")
            }
        }
    }

    /// Returns the claims if the signature is valid. Verifies it by hand (RFC 7515) with the
    /// published key.
    static func verified(_ token: String, keys: JSONValue) throws -> JSONValue {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try JSONText.parse(try #require(Base64URL.decode(parts[0])))
        #expect(header["alg"] == "ES256")
        let key = try #require(keys["keys"]?.arrayValue?.first { $0["kid"] == header["kid"] })
        let x = try #require(key["x"]?.stringValue.flatMap { Base64URL.decode($0) }),
            y = try #require(key["y"]?.stringValue.flatMap { Base64URL.decode($0) })
        let publicKey = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.decode(parts[2])))
        try #require(
            publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        return try JSONText.parse(try #require(Base64URL.decode(parts[1])))
    }
}
