import MienAPI
import MienCore
import MienSimulation
import MienTesting
import Testing

/// The models say what the server's state machines say.
@Suite struct ModelTests {
    private static let start = Instant(milliseconds: 1_000_000)

    /// Every sequence of six steps.
    @Test func `the model of locks agrees with the lock of the server`() throws {
        let policy = try LockPolicy(failedAttempts: 2, lockoutSeconds: 10, disableAfter: 3)
        let model = LockModel(failedAttempts: 2, lockoutMilliseconds: 10_000, disableAfter: 3)
        var compared = 0

        func walk(_ lock: AuthenticatorLock, _ state: LockModel.State, _ now: Int64, _ depth: Int) {
            let time = Self.start + .milliseconds(now)
            func expect(_ action: LockModel.Action, _ reply: LockModel.Reply) -> LockModel.State {
                var next = state
                let actual = model.apply(LockModel.Call("x", action, at: now), to: &next)
                #expect(actual == reply, "\(action) at \(now) after \(state)")
                compared += 1
                return next
            }
            let status: LockModel.Reply =
                switch lock.status(under: policy, at: time) {
                case .open: .open
                case .locked: .locked
                case .disabled: .disabled
                }
            _ = expect(.status, status)
            _ = expect(.total, .total(lock.total))
            if depth == 0 { return }
            var next = lock
            let line = next.begin(under: policy, at: time)
            walk(next, expect(.begin, line == nil ? .refused : .counted), now, depth - 1)
            if lock.total > 0 {
                next = lock
                next.succeed(through: .unknownDevices, under: policy, isKnownDevice: false)
                walk(next, expect(.succeed, .done), now, depth - 1)
                next = lock
                next.abandon(through: .unknownDevices, under: policy, begun: time)
                walk(next, expect(.abandon(begun: now), .done), now, depth - 1)
            }
            next = lock
            next.hold(by: .administrator)
            walk(next, expect(.hold, .done), now, depth - 1)
            next = lock
            _ = next.release(by: .administrator)
            walk(next, expect(.release, .done), now, depth - 1)
            walk(lock, state, now + 10_000, depth - 1)
        }
        walk(AuthenticatorLock(), model.initial, 0, 6)
        #expect(compared > 10_000)
    }

    /// With intervals of whole milliseconds, on which the bucket in memory is exact but for rounding.
    @Test func `the model of limits agrees with the bucket of the server`() {
        var generator = TestSeed.generator(420), refusals = 0
        let rate = TokenBucket.Rate(burst: 4, perMinute: 240)
        let model = TokenBucketModel(
            burst: rate.burst, intervalMicroseconds: rate.intervalMicroseconds)
        var bucket = TokenBucket(rate, at: Self.start), state = model.initial
        var now = Self.start
        for _ in 0..<2000 {
            now = now + .milliseconds(Int64.random(in: 0...40, using: &generator) * 10)
            let wait = bucket.take(rate, at: now)
            let reply = model.apply(
                TokenBucketModel.Call("b", .take(at: now.milliseconds)), to: &state)
            // A bucket in memory may lack a billionth of a token.
            if wait == .milliseconds(1) {
                bucket = TokenBucket(rate, at: now)
                state = model.initial
                continue
            }
            #expect(reply == (wait == nil ? .granted : .refused))
            if wait != nil { refusals += 1 }
        }
        #expect(refusals > 200)
    }

    @Test func `the model of refresh tokens agrees with the family of the server`() {
        let model = RefreshModel()
        let lifetimes = TokenLifetimes()

        func walk(_ family: RefreshFamily, _ state: RefreshModel.State, _ depth: Int) {
            if depth == 0 { return }
            for generation in max(0, family.generation - 2)...family.generation + 1 {
                for mark in [nil, 1, 2] as [Int?] {
                    var next = family, nextState = state
                    let use = next.use(
                        generation, mark: mark.map { [UInt8($0)] }, at: Self.start)
                    let reply = model.apply(
                        RefreshModel.Call("x", .use(generation, mark: mark)), to: &nextState)
                    let expected: RefreshModel.Reply =
                        switch use {
                        case .rotated, .repeated, .kept: .token(next.generation)
                        case .reused, .refused: .refused
                        }
                    #expect(reply == expected, "\(generation) with \(mark as Any) after \(state)")
                    #expect(nextState.isEnded == (next.revokedAt != nil))
                    walk(next, nextState, depth - 1)
                }
            }
        }
        walk(RefreshFamily(under: lifetimes, at: Self.start), model.initial, 4)
    }
}
