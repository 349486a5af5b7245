import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTesting
import Testing

/// The guide's calls through the SDK, against a server.
@Suite("Identities through the SDK", .enabled(if: Installed.isThere, Installed.reason))
struct IdentityClientTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func session(
        _ name: String, _ server: TestServer, storage: any TokenStorage = TransientTokenStorage()
    ) async throws -> MienSession {
        let devices = MemoryDeviceTokens()
        let session = try MienSession(
            MienOptions(
                serverPath: server.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1), deviceTokens: devices), tokenStorage: storage)
        try await session.configure()
        let journey = try await server.client(devices).start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": .string(name), "password": "a password nobody has"])
        }
        guard case .success(let token) = await journey.outcome() else {
            throw CancellationError()
        }
        try await session.signIn(journeyToken: token)
        return session
    }

    private static func input(_ first: String = "John") -> VerifyIdentityInput {
        VerifyIdentityInput(
            firstName: first, lastName: "Smith", address: "222333 Peachtree Place", city: "atlanta",
            postalCode: "30318", country: "us", dateOfBirth: "1975-02-28")
    }

    @Test("the guide's calls, its errors, and a cache that only this user and key can read")
    func calls() async throws {
        let path = scratch("cache.json").path, stored = scratch("tokens.json").path
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ],
            // Proofs of the SDK have the time of this machine.
            time: HandClock(
                Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        ) { server in
            try await server.makeUser("ada")
            try await server.makeUser("bob")
            let keys = PersistentTokenStorage(path: stored)
            let session = try await Self.session("ada", server, storage: keys)
            let client = IdentityVerificationClient(
                session, cache: IdentityCache(path: path, keys: keys))
            #expect(try await client.listSupportedCountries().contains("US"))
            #expect(try await client.getCapabilities().consentRequired)
            for option in [IdentityQueryOption.cacheOnly] {
                let nothing = await #expect(throws: MienError.self) {
                    _ = try await client.checkIdentityVerification(option: option)
                }
                #expect(nothing?.code == .invalidState)
            }
            #expect(try await !client.isFaceImageRequired(option: .remoteOnly))
            #expect(try await !client.isFaceImageRequired(option: .cacheOnly))

            let early = await #expect(throws: MienError.self) {
                _ = try await client.verifyIdentity(input: Self.input())
            }
            #expect(early?.identityError == .consentRequired)
            let content = try await client.consentContent()
            #expect(try await client.provideConsent(to: content).consented)
            #expect(try await client.consentStatus().version == content.version)
            let wrong = await #expect(throws: MienError.self) {
                var input = Self.input()
                input.dateOfBirth = "2999-01-01"
                _ = try await client.verifyIdentity(input: input)
            }
            #expect(wrong?.identityError == .invalidAge)
            #expect(wrong?.fields.first?.field == "dateOfBirth")
            let failed = try await client.verifyIdentity(input: Self.input("Jack"))
            #expect(!failed.verified && failed.attemptsRemaining == 2 && failed.simulated)
            #expect(try await client.checkIdentityVerification(option: .cacheOnly) == failed)
            let done = try await client.verifyIdentity(input: Self.input())
            #expect(
                !done.verified && done.verificationMethod == .known(.knowledgeOfPII)
                    && done.documentVerificationStatus == .known(.notAttempted))
            #expect(try await client.checkIdentityVerification(option: .remoteOnly) == done)

            let picture = VerifyingUser.picture
            let document = VerifyIdentityDocument(
                image: picture, backImage: picture, country: "US", documentType: .driverLicense)
            for attempt in [
                client.verifyIdentityDocument, client.captureAndVerifyIdentityDocument,
            ] {
                let refused = await #expect(throws: MienError.self) {
                    _ = try await attempt(document)
                }
                #expect(refused?.identityError == .unsupportedMethod)
            }
            let link = await #expect(throws: MienError.self) {
                _ = try await client.initiateIdentityDocumentCapture()
            }
            #expect(link?.identityError == .unsupportedMethod)
            var large = document
            large.image = [UInt8](
                repeating: 0, count: IdentityVerificationClient.maxPictureBytes + 1)
            let tooLarge = await #expect(throws: MienError.self) {
                _ = try await client.verifyIdentityDocument(input: large)
            }
            #expect(tooLarge?.code == .clientResponseNotValid)
            #expect(
                !"\(document) \(Self.input()) \(String(reflecting: document))".contains("Smith"))

            // A new start of the app reads the file; it tells nothing without the key.
            let reopened = IdentityVerificationClient(
                session, cache: IdentityCache(path: path, keys: keys))
            #expect(try await reopened.checkIdentityVerification(option: .cacheOnly) == done)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(
                ["KNOWLEDGE", "verified", done.owner].allSatisfy { !text.contains($0) })
            let otherKey = IdentityVerificationClient(
                session,
                cache: IdentityCache(
                    path: path, keys: PersistentTokenStorage(path: stored + ".other")))
            await #expect(throws: MienError.self) {
                _ = try await otherKey.checkIdentityVerification(option: .cacheOnly)
            }
            let bob = IdentityVerificationClient(
                try await Self.session("bob", server),
                cache: IdentityCache(path: path, keys: keys))
            await #expect(throws: MienError.self) {
                _ = try await bob.checkIdentityVerification(option: .cacheOnly)
            }

            try await client.withdrawConsent()
            #expect(try await !client.consentStatus().consented)
            await #expect(throws: MienError.self) {
                _ = try await client.checkIdentityVerification(option: .cacheOnly)
            }
        }
    }
}
