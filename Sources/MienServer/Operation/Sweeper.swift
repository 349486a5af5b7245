internal import Logging
internal import MienCore
internal import MienStore
internal import ServiceLifecycle

/// Removes what has expired, renews signing keys: every minute, a little at a time.
struct Sweeper: Service {
    private static let batch = 2000

    let store: Store
    let captures: CaptureService
    let issuer: TokenIssuer
    let clock: ServerClock
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    func sweep() async {
        let now = clock.now
        do {
            for kind in [
                \Tables.runsSweep, \Tables.capturesSweep, \Tables.codesSweep, \Tables.grantsSweep, \Tables.challengesSweep,
                \Tables.authorizationCodesSweep, \Tables.spentSweep, \Tables.otpRegistrationsSweep, \Tables.trailsSweep,
            ] {
                while try await store.write(.process, { try $0[keyPath: kind](now, Self.batch) }) == Self.batch {}
            }
            try await captures.sweepLive()
            try await issuer.refresh(at: now)
        } catch {
            logger.error("sweeping failed; it is tried again in a minute", metadata: ["error.type": "\(type(of: error))"])
        }
    }
}

extension Tables {
    fileprivate var runsSweep: (Instant, Int) throws -> Int { { try runs.sweep(at: $0, atMost: $1) } }
    fileprivate var capturesSweep: (Instant, Int) throws -> Int { { try captures.sweep(at: $0, atMost: $1) } }
    fileprivate var trailsSweep: (Instant, Int) throws -> Int { { try trails.sweep(at: $0, atMost: $1) } }
    fileprivate var codesSweep: (Instant, Int) throws -> Int { { try codes.sweep(at: $0, atMost: $1) } }
    fileprivate var grantsSweep: (Instant, Int) throws -> Int { { try grants.sweep(at: $0, atMost: $1) } }
    fileprivate var challengesSweep: (Instant, Int) throws -> Int { { try challenges.sweep(at: $0, atMost: $1) } }
    fileprivate var authorizationCodesSweep: (Instant, Int) throws -> Int { { try authorizationCodes.sweep(at: $0, atMost: $1) } }
    fileprivate var spentSweep: (Instant, Int) throws -> Int { { try spent.sweep(at: $0, atMost: $1) } }
    fileprivate var otpRegistrationsSweep: (Instant, Int) throws -> Int { { try otpRegistrations.sweep(at: $0, atMost: $1) } }
}
