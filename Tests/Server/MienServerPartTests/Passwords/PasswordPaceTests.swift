import MienAPI
import MienCore
import MienHardware
import Testing

@testable import MienServer

/// How long a refused password takes, without waiting for it.
@Suite("The pace of refused passwords") struct PasswordPaceTests {
    /// Imported hashes, and how long they take.
    private final class Hashes: Sendable {
        struct Busy: Error {}
        struct State {
            var version: Int64 = 0
            var settings: [String] = []
            var durations: [String: Duration] = [:]
            var measured: [String] = []
            var isBusy = false
            var now = ContinuousClock.Instant.now
        }

        let state = Locked(State())

        func `import`(_ settings: [String], _ durations: [String: Duration]) {
            state.withLock {
                $0.version += 1
                $0.settings += settings
                $0.durations.merge(durations) { $1 }
            }
        }

        func pass(_ time: Duration) { state.withLock { $0.now += time } }
        var measured: [String] { state.withLock { $0.measured } }

        var pace: PasswordPace {
            PasswordPace(
                .init(
                    version: { self.state.withLock { $0.settings.isEmpty ? nil : $0.version } },
                    settings: { self.state.withLock { ($0.version, $0.settings) } },
                    measure: { hash in
                        try self.state.withLock {
                            guard !$0.isBusy else { throw Busy() }
                            $0.measured.append(hash.setting)
                            return $0.durations[hash.setting] ?? .zero
                        }
                    }, now: { self.state.withLock { $0.now } }))
        }
    }

    @Test(
        "a refusal is answered at a step that is longer than its hold",
        arguments: [
            (nil, nil, 25), (0, 0, 50), (10, 10, 75), (100, 100, 150), (110, 110, 175),
            (4000, 4000, 4050), (60_000, 4000, 4050),
        ] as [(Int?, Int?, Int)])
    func steps(hold: Int?, kept: Int?, step: Int) {
        let pace = PasswordPace.Pace(hold: hold.map { .milliseconds($0) })
        #expect(pace.hold == kept.map { .milliseconds($0) } && pace.step == .milliseconds(step))
    }

    @Test("without imported hashes, nothing is measured and nothing is held")
    func none() async throws {
        let hashes = Hashes(), pace = hashes.pace
        #expect(try await pace.current() == .init(hold: nil))
        await pace.prepare()
        #expect(pace.measurement == nil && hashes.measured.isEmpty)
        // The first sign-in replaces a hash.
        hashes.import(["$2b$12$"], ["$2b$12$": .milliseconds(200)])
        await pace.prepare()
        await pace.measurement?.value
        hashes.state.withLock { $0.settings = [] }
        #expect(try await pace.current() == .init(hold: nil))
    }

    @Test("only the dearest hash of each scheme is measured, once, and no request waits for it")
    func dearest() async throws {
        let hashes = Hashes(), pace = hashes.pace
        hashes.import(
            (29_000..<30_000).map { "$pbkdf2-sha256$i=\($0)$" } + ["$2b$04$", "$2b$12$"],
            ["$2b$12$": .milliseconds(200), "$pbkdf2-sha256$i=29999$": .milliseconds(40)])
        for _ in 0..<20 {
            let hold = try await pace.current().hold
            #expect(hold == PasswordPace.untilKnown || hold == .milliseconds(300))
        }
        await pace.measurement?.value
        for _ in 0..<20 { #expect(try await pace.current().hold == .milliseconds(300)) }
        #expect(hashes.measured == ["$2b$12$", "$pbkdf2-sha256$i=29999$"])
    }

    @Test("after an import, refusals take no less than before until it is known what it brought")
    func imports() async throws {
        let hashes = Hashes(), pace = hashes.pace
        hashes.import(["$2b$10$"], ["$2b$10$": .milliseconds(50)])
        await pace.prepare()
        await pace.measurement?.value
        #expect(try await pace.current().hold == .milliseconds(75))
        hashes.state.withLock { $0.isBusy = true }
        hashes.import(["$2b$14$"], ["$2b$14$": .milliseconds(1400)])
        #expect(try await pace.current().hold == PasswordPace.untilKnown)
        await pace.measurement?.value
        // That failed. It is tried again, but not at each refusal.
        hashes.state.withLock { $0.isBusy = false }
        #expect(try await pace.current().hold == PasswordPace.untilKnown)
        #expect(pace.measurement == nil && hashes.measured == ["$2b$10$"])
        hashes.pass(PasswordPace.retryPause)
        _ = try await pace.current()
        await pace.measurement?.value
        #expect(try await pace.current().hold == .milliseconds(2100))
        // A measured delay takes the place of the shorter one for unmeasured hashes.
        hashes.state.withLock { $0.isBusy = true }
        hashes.import(["$2b$04$", "$scrypt$ln=14,r=8,p=1$"], [:])
        #expect(try await pace.current().hold == .milliseconds(2100))
        await pace.measurement?.value
        // A measured hash is not measured again.
        hashes.state.withLock { $0.isBusy = false }
        hashes.pass(PasswordPace.retryPause)
        _ = try await pace.current()
        await pace.measurement?.value
        #expect(hashes.measured == ["$2b$10$", "$2b$14$", "$scrypt$ln=14,r=8,p=1$"])
        #expect(try await pace.current().hold == .milliseconds(2100))
    }

    @Test("a delay that is measured at a busy moment is bounded, and forgotten after an hour")
    func busy() async throws {
        let hashes = Hashes(), pace = hashes.pace
        hashes.import(["$2b$10$"], ["$2b$10$": .seconds(60)])
        await pace.prepare()
        await pace.measurement?.value
        #expect(try await pace.current().hold == PasswordPace.most)
        hashes.import([], ["$2b$10$": .milliseconds(50)])
        await pace.prepare()
        await pace.measurement?.value
        #expect(try await pace.current().hold == PasswordPace.most, "not yet")
        hashes.pass(PasswordPace.life)
        #expect(try await pace.current().hold == PasswordPace.most, "no request waits")
        await pace.measurement?.value
        #expect(try await pace.current().hold == .milliseconds(75))
        #expect(hashes.measured == ["$2b$10$", "$2b$10$"])
    }

    @Test(
        "a refusal keeps its thread for the whole hold, whatever was checked",
        arguments: ["nobody", "own", "foreign"], [nil, Duration.seconds(1000)])
    func holds(kind: String, hold: Duration?) async throws {
        let pauses = Locked<[Duration]>([])
        let service = try PasswordService(
            policy: PasswordPolicy(minimumLength: 8), cost: .init(memory: 64, passes: 1),
            workers: 2,
            limits: .server(waitSeconds: 60), pause: { time in pauses.withLock { $0.append(time) } }
        )
        let share = WorkShare.common, right = Sensitive("U*U")
        let own = try await service.hash(right, for: share)
        let foreign = try ForeignPasswordHash(
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
        let stored: Sensitive<String>? =
            switch kind {
            case "own": Sensitive(own)
            case "foreign":
                Sensitive(String(decoding: PasswordService.content(of: foreign), as: UTF8.self))
            default: nil
            }
        if stored != nil {
            #expect(
                try await service.verify(right, against: stored, for: share, refusingAfter: hold))
            #expect(pauses.withLock { $0 }.isEmpty, "a right password is not held")
        }
        #expect(
            try await !service.verify(
                Sensitive("wrong"), against: stored, for: share, refusingAfter: hold))
        let found = pauses.withLock { $0 }
        #expect(found.count == (hold == nil ? 0 : 1))
        #expect(found.allSatisfy { $0 > .zero && $0 < .seconds(1000) })
        // A hold that is over before the check is no pause.
        _ = try await service.verify(
            Sensitive("wrong"), against: stored, for: share, refusingAfter: .zero)
        #expect(pauses.withLock { $0.count } == found.count)
        #expect(try await service.durationOfRefusal(of: foreign) > Duration.zero)
        #expect(pauses.withLock { $0.count } == found.count, "a measurement is not held")
    }
}
