import MienClient
import MienCore
import MienTesting
import Testing

@Suite("Recovery in the SDK", .enabled(if: Installed.isThere, Installed.reason))
struct RecoverySessionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a session makes recovery codes, one of which signs in; it lists and cancels recoveries")
    func session() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            let options = MienOptions(
                serverPath: server.process.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1))
            let session = try MienSession(options)
            try await session.configure()
            let outcome = try await server.run("password-login") {
                try await $0.respond(
                    "password", ["username": "ada", "password": .string(RealServer.password)])
            }
            guard case .success(let token) = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            try await session.signIn(journeyToken: token)
            #expect(try await session.recoveryCodesStatus().remaining == 0)
            let codes = try await session.makeRecoveryCodes()
            #expect(codes.count == 10 && "\(codes)".contains("sensitive"))
            let recovered = try await server.run("recovery-code") {
                try await $0.respond(
                    "recovery_code",
                    ["user_identifier": "ada", "code": .string(codes[3].use { $0 })])
            }
            guard case .success(let proof) = recovered else {
                Issue.record("\(String(describing: recovered))")
                return
            }
            let claims = try proof.use { try TokenClient.claims($0) }
            #expect(
                claims["recovered"] == true && claims["amr"] == ["x_recovery_code"]
                    && claims["acr"] == "1")
            #expect(try await session.recoveryCodesStatus().remaining == 9)

            #expect(try await session.recoveries().isEmpty)
            await #expect(throws: MienError.self) { try await session.cancelRecoveries() }
            _ = try await server.recoverByMail(0)
            let waiting = try #require(try await session.recoveries().first)
            #expect(
                waiting.methods == ["otp"]
                    && waiting.effectiveAt - waiting.requestedAt == 24 * 3600 * 1000)
            try await session.cancelRecoveries()
            #expect(try await session.recoveries().isEmpty)
            try await session.removeRecoveryCodes()
            #expect(try await session.recoveryCodesStatus().remaining == 0)
        }
    }
}
