import MienAPI
import MienCore
import Testing

@Suite struct RecoveryTests {
    // MARK: Codes

    @Test func `a code has 100 random bits in four groups and survives formatting and parsing`()
        throws
    {
        var generator = SystemRandomNumberGenerator(), seen: Set<RecoveryCode> = []
        for _ in 0..<1000 {
            let code = RecoveryCode.random(using: &generator), text = code.text.use { $0 }
            #expect(
                text.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}/) != nil,
                "\(text)")
            #expect(RecoveryCode(typed: text) == code)
            seen.insert(code)
        }
        #expect(seen.count == 1000)
    }

    @Test func `case, spaces, hyphens, and letters that look like digits do not matter`() throws {
        let code = try #require(RecoveryCode(typed: "10A0B-C1D1E-FGHJK-MNPQR"))
        for typed in [
            "10a0bc1d1efghjkmnpqr", " IOAOB cLdle FGHJK MNPQR ", "l0a0b--c1dIe-fghjk-mnpqr",
            "1０A0B-C1D1E-FGHJK-MNPQR", "١٠A٠B–C١D١E FGHJK·MNPQR\n",
        ] {
            #expect(RecoveryCode(typed: typed) == code, "\(typed)")
        }
        #expect(code.text.use { $0 } == "10A0B-C1D1E-FGHJK-MNPQR")
    }

    @Test(
        arguments: [
            "", "10A0B-C1D1E-FGHJK-MNPQ", "10A0B-C1D1E-FGHJK-MNPQRS", "U0A0B-C1D1E-FGHJK-MNPQR",
            "10A0B_C1D1E_FGHJK_MNPQR", "10A0B-C1D1E-FGHJK-MNPQR½",
            "10A0B-C1D1E-FGHJK-MNPQR" + String(repeating: " ", count: 42),
        ])
    func `anything else is not a code`(text: String) { #expect(RecoveryCode(typed: text) == nil) }

    @Test func `printing a code reveals nothing`() throws {
        let code = try #require(RecoveryCode(typed: "10A0B-C1D1E-FGHJK-MNPQR"))
        var text = "\(code) \(String(reflecting: code))"
        dump(code, to: &text)
        #expect(!text.contains("10A0B") && !text.contains("49"))
    }

    // MARK: Requests

    private static let start = Instant(milliseconds: 1_800_000_000_000),
        hour = Duration.seconds(3600)
    private static let week = 7 * 24

    /// The rules implemented independently, in hours since the request.
    private static func expected(_ hours: Int, hold: Int, isEnded: Bool) -> RecoveryRequest.Status {
        isEnded ? .ended : hours < hold ? .held : hours < hold + week ? .effective : .expired
    }

    @Test func `a request holds, takes effect, and expires on the hour`() {
        for hold in [0, 1, 24, 720] {
            for isEnded in [false, true] {
                let fresh = RecoveryRequest(at: Self.start, hold: .seconds(hold * 3600))
                let request = isEnded ? Self.ended(fresh) : fresh
                for hours in [
                    0, 1, hold - 1, hold, hold + 1, hold + Self.week - 1, hold + Self.week,
                    hold + Self.week + 1,
                ] where hours >= 0 {
                    let now = Self.start + .seconds(hours * 3600), status = request.status(at: now)
                    #expect(
                        status == Self.expected(hours, hold: hold, isEnded: isEnded),
                        "\(hold) \(isEnded) \(hours)")
                    #expect(request.isOpen(at: now) == (status == .held || status == .effective))
                    for (since, isBefore) in [(-1, true), (0, false), (1, false)] {
                        let isCancelable = request.isCancelable(
                            bySince: Self.start + .milliseconds(since), at: now)
                        #expect(isCancelable == (isBefore && request.isOpen(at: now)))
                    }
                }
            }
        }
    }

    private static func ended(_ request: RecoveryRequest) -> RecoveryRequest {
        RecoveryRequest(
            requestedAt: request.requestedAt, effectiveAt: request.effectiveAt,
            end: .init(at: request.requestedAt, how: .canceledByLink))
    }

    private enum Step: CaseIterable {
        case ask, askElsewhere, cancel, waitAnHour, waitADay, waitAWeek
    }

    /// Compares every story of up to six steps with the rules implemented independently, in hours
    /// and flags.
    @Test
    func
        `in every short story access is restored only after the hold of a request that nobody canceled`()
    {
        struct Known {
            var at: Int
            var elsewhere: Bool
            var isOver = false
            func isOpen(_ now: Int) -> Bool { !isOver && now < at + 24 + RecoveryTests.week }
        }
        let policy = RecoveryPolicy(holdHours: 24)
        var stories = 0, completions = 0, refusals = 0
        func tell(
            _ requests: [(request: RecoveryRequest, elsewhere: Bool)], _ known: [Known],
            _ hours: Int, _ depth: Int
        ) {
            stories += 1
            if depth == 6 { return }
            for step in Step.allCases {
                var requests = requests, known = known, hours = hours
                let now = Self.start + .seconds(hours * 3600)
                switch step {
                case .ask, .askElsewhere:
                    let elsewhere = step == .askElsewhere
                    let indices = requests.indices.filter { requests[$0].elsewhere == elsewhere }
                    let decision = policy.decide(
                        same: indices.map { requests[$0].request },
                        others: requests.filter { $0.elsewhere != elsewhere }.map(\.request),
                        at: now)
                    let mine = known.indices.filter {
                        known[$0].elsewhere == elsewhere && known[$0].isOpen(hours)
                    }
                    if let due = mine.first(where: { hours >= known[$0].at + 24 }) {
                        #expect(decision == .complete(indices.firstIndex(of: due)!))
                        known[due].isOver = true
                        requests[due].request = Self.ended(requests[due].request)
                        completions += 1
                    } else if let waiting = mine.first {
                        #expect(decision == .wait(indices.firstIndex(of: waiting)!))
                    } else if known.count(where: { hours < $0.at + 24 }) >= 3
                        || known.count(where: { $0.isOpen(hours) }) >= 3
                    {
                        #expect(decision == .refuse)
                        refusals += 1
                    } else {
                        guard case .begin(let request) = decision else {
                            Issue.record("\(decision)")
                            return
                        }
                        #expect(request.effectiveAt == now + .seconds(24 * 3600))
                        requests.append((request, elsewhere))
                        known.append(Known(at: hours, elsewhere: elsewhere))
                    }
                case .cancel:
                    for index in known.indices where known[index].isOpen(hours) {
                        known[index].isOver = true
                        requests[index].request = Self.ended(requests[index].request)
                    }
                case .waitAnHour: hours += 1
                case .waitADay: hours += 24
                case .waitAWeek: hours += Self.week
                }
                tell(requests, known, hours, depth + 1)
            }
        }
        tell([], [], 0, 0)
        #expect(
            stories
                == (0...6).reduce(0) { sum, depth in
                    sum + (0..<depth).reduce(1) { product, _ in product * 6 }
                })
        #expect(completions > 100 && refusals > 10)
    }

    @Test func `without a hold a request takes effect at once`() throws {
        guard
            case .begin(let request) = RecoveryPolicy(holdHours: 0).decide(
                same: [], others: [], at: Self.start)
        else {
            Issue.record("no request")
            return
        }
        #expect(request.status(at: Self.start) == .effective)
    }
}
