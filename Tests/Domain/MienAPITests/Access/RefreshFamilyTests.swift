import MienAPI
import MienCore
import Testing

@Suite struct RefreshFamilyTests {
    static let start = Instant(milliseconds: 1_000_000)
    static let lifetimes = TokenLifetimes(
        accessSeconds: 300, refreshSeconds: 600, expiresAfterIdling: true, idleSeconds: 120)

    @Test
    func `a token that is not replaced stays valid, and an earlier one still ends the family`() {
        var family = RefreshFamily(under: TokenLifetimes(refreshSeconds: 900), at: Self.start)
        for seconds in [1, 100, 500] {
            #expect(
                family.use(
                    0, mark: [1], isRotated: false, at: Self.start + .seconds(Int64(seconds)))
                    == .kept)
        }
        #expect(family.generation == 0 && family.usedAt == Self.start + .seconds(500))
        #expect(family.usersMark == nil)
        #expect(family.use(0, at: Self.start + .seconds(501)) == .rotated)
        #expect(family.use(0, isRotated: false, at: Self.start + .seconds(550)) == .reused)
        #expect(
            family.use(1, isRotated: false, at: Self.start + .seconds(551)) == .refused(.revoked))
    }

    private enum Step: CaseIterable {
        case useNewest, useOldest, useTheOneBefore, useNewestMarked, repeatMarked, useOlderMarked,
            useTheOneBeforeMarkedByAnother, beActive, revoke, waitShort,
            waitToIdle, waitToEnd
    }

    /// The rules implemented independently: a list of usable tokens.
    private struct Oracle {
        var now = start, tokens = [0], lastActivity = start, usedAt = start, isDead = false
        /// The mark of the client that used the token before the newest.
        var mark: [UInt8]?
        var isLive: Bool {
            !isDead && now < start + .seconds(600) && now < lastActivity + .seconds(120)
        }
    }

    /// Covers every story of up to six steps.
    @Test func `each token is single-use except for repeated requests, and reuse ends all`() {
        var stories = 0
        func tell(_ family: RefreshFamily, _ oracle: Oracle, _ depth: Int) {
            stories += 1
            if depth == 6 { return }
            for step in Step.allCases {
                var (family, oracle) = (family, oracle)
                func use(_ generation: Int, _ mark: [UInt8]? = nil) {
                    let before = family, answer = family.use(generation, mark: mark, at: oracle.now)
                    if !oracle.isLive {
                        guard case .refused = answer else {
                            Issue.record("a dead family gave \(answer)")
                            return
                        }
                    } else if generation == oracle.tokens.last {
                        #expect(answer == .rotated)
                        oracle.tokens.append(generation + 1)
                        (oracle.lastActivity, oracle.usedAt) = (oracle.now, oracle.now)
                        oracle.mark = mark
                    } else if generation + 1 == oracle.tokens.last, mark == oracle.mark,
                        oracle.now < oracle.usedAt + (mark == nil ? .seconds(10) : .seconds(600))
                    {
                        #expect(answer == .repeated && family == before)
                    } else {
                        #expect(answer == .reused)
                        oracle.isDead = true
                    }
                }
                switch step {
                case .useNewest: use(oracle.tokens.last!)
                case .useOldest: use(0)
                case .useTheOneBefore:
                    if oracle.tokens.count < 2 { continue }
                    use(oracle.tokens[oracle.tokens.count - 2])
                case .useNewestMarked: use(oracle.tokens.last!, [1])
                case .repeatMarked, .useTheOneBeforeMarkedByAnother:
                    if oracle.tokens.count < 2 { continue }
                    use(oracle.tokens[oracle.tokens.count - 2], step == .repeatMarked ? [1] : [2])
                case .useOlderMarked:
                    if oracle.tokens.count < 3 { continue }
                    use(oracle.tokens[oracle.tokens.count - 3], [1])
                case .beActive:
                    let isNew = oracle.isLive && oracle.now > oracle.lastActivity
                    let isNoted = family.noteActivity(at: oracle.now)
                    #expect(isNoted == isNew)
                    if isNew { oracle.lastActivity = oracle.now }
                case .revoke:
                    #expect(family.revoke(at: oracle.now) == !oracle.isDead)
                    oracle.isDead = true
                case .waitShort: oracle.now = oracle.now + .seconds(50)
                case .waitToIdle: oracle.now = oracle.now + .seconds(120)
                case .waitToEnd: oracle.now = oracle.now + .seconds(600)
                }
                #expect((family.status(at: oracle.now) == .live) == oracle.isLive)
                tell(family, oracle, depth + 1)
            }
        }
        tell(RefreshFamily(under: Self.lifetimes, at: Self.start), Oracle(), 0)
        #expect(stories > 400_000)
    }

    @Test func `a client may repeat a request for ten minutes`() {
        var family = RefreshFamily(under: TokenLifetimes(refreshSeconds: 3600), at: Self.start)
        #expect(family.use(0, mark: [1], at: Self.start) == .rotated)
        #expect(family.use(0, mark: [1], at: Self.start + .milliseconds(599_999)) == .repeated)
        #expect(family.use(0, mark: [1], at: Self.start + .seconds(600)) == .reused)
    }

    @Test func `the same request gets the same token for ten seconds, and ends all afterward`() {
        func at(_ milliseconds: Int) -> Instant { Self.start + .milliseconds(milliseconds) }
        var family = RefreshFamily(under: TokenLifetimes(refreshSeconds: 3600), at: Self.start)
        #expect(family.use(0, at: at(0)) == .rotated)
        let used = family
        for moment in [0, 1, 5000, 9999] {
            #expect(family.use(0, at: at(moment)) == .repeated)
            #expect(family == used)
        }
        // A server whose clock is behind.
        #expect(family.use(0, at: at(-500)) == .repeated)
        var other = family
        #expect(other.use(0, mark: [1], at: at(1)) == .reused, "another request")
        var late = family
        #expect(late.use(0, at: at(10_000)) == .reused)
        #expect(late.status(at: at(10_000)) == .revoked)
        var next = family
        #expect(next.use(1, at: at(1000)) == .rotated)
        #expect(next.use(0, at: at(1001)) == .reused, "its replacement was used")
    }

    @Test func `a family of the finance example ends after an hour, or half an hour idle`() {
        let lifetimes = TokenLifetimes(
            refreshSeconds: 3600, expiresAfterIdling: true, idleSeconds: 1800)
        #expect(lifetimes.faults.isEmpty)
        var busy = RefreshFamily(under: lifetimes, at: Self.start)
        for minute in [20, 40, 59] {
            #expect(busy.use(busy.generation, at: Self.start + .seconds(minute * 60)) == .rotated)
        }
        #expect(busy.status(at: Self.start + .milliseconds(3_599_999)) == .live)
        #expect(busy.use(busy.generation, at: Self.start + .seconds(3600)) == .refused(.expired))
        var idle = RefreshFamily(under: lifetimes, at: Self.start)
        #expect(idle.status(at: Self.start + .milliseconds(1_799_999)) == .live)
        #expect(idle.use(0, at: Self.start + .seconds(1800)) == .refused(.idled))
    }

    /// Records activity at some seconds after the start, and returns whether it was stored.
    private func note(_ family: inout RefreshFamily, _ seconds: Double) -> Bool {
        family.noteActivity(at: Self.start + .seconds(seconds))
    }

    @Test func `activity postpones the idle limit, never the end, and revives nothing`() {
        let lifetimes = TokenLifetimes(refreshSeconds: 3600, idleSeconds: 1800)
        func at(_ seconds: Int) -> Instant { Self.start + .seconds(seconds) }
        var family = RefreshFamily(under: lifetimes, at: Self.start)
        var isNoted = note(&family, 1799)
        #expect(isNoted && family.status(at: at(3598)) == .live && family.usedAt == Self.start)
        isNoted = note(&family, 3598)
        #expect(isNoted)
        #expect(family.status(at: at(3599)) == .live && family.status(at: at(3600)) == .expired)
        isNoted = note(&family, 3600)
        #expect(!isNoted)
        var idle = RefreshFamily(under: lifetimes, at: Self.start)
        isNoted = note(&idle, 1800)
        #expect(!isNoted && idle.status(at: at(1800)) == .idled)
        var revoked = RefreshFamily(under: lifetimes, at: Self.start)
        let wasLive = revoked.revoke(at: at(1))
        isNoted = note(&revoked, 10)
        #expect(wasLive && !isNoted)
    }

    @Test func `activity within three seconds of the last is not stored`() {
        var family = RefreshFamily(
            under: TokenLifetimes(refreshSeconds: 3600, idleSeconds: 1800), at: Self.start)
        // The last one is a clock that went back.
        let noted = [2.999, 3, 3, 5.999, 6, 0].map { note(&family, $0) }
        #expect(noted == [false, true, false, false, true, false])
    }

    @Test func `activity does not let a client repeat a refresh for longer`() {
        var family = RefreshFamily(under: TokenLifetimes(refreshSeconds: 7200), at: Self.start)
        #expect(family.use(0, mark: [1], at: Self.start) == .rotated)
        _ = family.noteActivity(at: Self.start + .seconds(599))
        #expect(family.use(0, mark: [1], at: Self.start + .seconds(600)) == .reused)
    }

    @Test(arguments: [
        (1800, 1800, 0, 300), (300, 1800, 0, 300), (1800, 1800, 3400, 200), (1800, 60, 0, 10),
        (1800, 2_592_000, 0, 1800), (900, 7200, 0, 900),
    ])
    func `an access token lasts at most a sixth of the idle time, and ends with its sign-in`(
        access: Int, idle: Int, after: Int, seconds: Int
    ) {
        let lifetimes = TokenLifetimes(
            accessSeconds: access, refreshSeconds: 3600, idleSeconds: idle)
        let family = RefreshFamily(under: lifetimes, at: Self.start)
        #expect(
            family.accessSeconds(atMost: access, at: Self.start + .seconds(after)) == seconds)
    }

    @Test func `a sign-in without refresh tokens lasts no longer than an idle one`() {
        let short = TokenLifetimes(accessSeconds: 7200, idleSeconds: 1800).withoutRefresh
        #expect(short.accessSeconds == 1800 && short.refreshSeconds == 1800)
        let family = RefreshFamily(under: short, at: Self.start)
        #expect(family.accessSeconds(atMost: short.accessSeconds, at: Self.start) == 1800)
        let long = TokenLifetimes(
            accessSeconds: 7200, expiresAfterIdling: false, idleSeconds: 1800
        ).withoutRefresh
        #expect(long.accessSeconds == 7200 && long.refreshSeconds == 7200)
    }

    @Test func `without an idle limit only the end counts`() {
        let family = RefreshFamily(
            under: TokenLifetimes(refreshSeconds: 3600, expiresAfterIdling: false, idleSeconds: 60),
            at: Self.start)
        #expect(
            family.status(at: Self.start + .seconds(3599)) == .live
                && family.status(at: Self.start + .seconds(3600)) == .expired)
    }

    @Test(arguments: [
        (TokenLifetimes(accessSeconds: 299), "access_token_seconds"),
        (TokenLifetimes(refreshSeconds: 0), "refresh_token_seconds"),
        (TokenLifetimes(idleSeconds: 59), "idle_seconds"),
        (TokenLifetimes(refreshSeconds: .max), "refresh_token_seconds"),
    ])
    func `lifetimes out of range are named`(lifetimes: TokenLifetimes, name: String) {
        #expect(lifetimes.faults.map(\.setting) == [name])
    }
}

@Suite struct ScopeTests {
    @Test func `words are sorted and unique`() {
        #expect(Scope("openid full-access  openid")?.text == "full-access openid")
        #expect(Scope("")?.words == [])
        #expect(Scope.standard.text == "full-access offline_access openid")
    }

    @Test(arguments: [
        "a\"b", "a\\b", "ä", "a\tb", String(repeating: "a", count: 65),
        (1...33).map { "s\($0)" }.joined(separator: " "),
    ])
    func `an invalid scope is rejected`(text: String) { #expect(Scope(text) == nil) }

    @Test func `fewer words are a subset, more are not`() {
        #expect(
            Scope("openid")!.isSubset(of: .standard)
                && !Scope("openid email")!.isSubset(of: .standard))
    }

    @Test(
        arguments: [
            ("openid profile roles", "openid profile"),
            ("openid groups phone", "groups openid phone"),
            ("roles https://example.org/\(String(repeating: "a", count: 100))", ""),
            ("", ""), ((1...40).map { "s\($0)" }.joined(separator: " ") + " openid", "openid"),
            ("OPENID", ""), ("openid \"x\"", nil), ("openid\tprofile", nil),
        ] as [(String, String?)])
    func `words that the server does not know are ignored`(text: String, known: String?) {
        #expect(Scope.known(in: text)?.text == known)
    }
}
