import MienCore
import MienKeys
import MienTesting
import Testing

@Suite struct HOTPVerifierTests {
    /// Compares every story of up to four codes, from counters 0 to 7, with a list of usable
    /// counters.
    @Test func `in every short story a code is accepted once, only ahead, and within the window`()
        throws
    {
        let hotp = try HOTP(), secret = try countingSecret(20)
        let codes = (0..<8).map { hotp.code(at: $0, with: secret) }
        var stories = 0
        func tell(_ verifier: HOTPVerifier, next: UInt64, _ depth: Int) {
            stories += 1
            if depth == 4 { return }
            for counter in UInt64(0)..<8 {
                var after = verifier
                let isGood = (next...next + 2).contains(counter)
                let verdict = after.verify(codes[Int(counter)], hotp, with: secret)
                if verdict != (isGood ? .accepted(at: counter) : .refused)
                    || after.nextCounter != (isGood ? counter + 1 : next)
                {
                    Issue.record(
                        "from \(next), the code at \(counter): \(verdict), then \(after.nextCounter)"
                    )
                }
                tell(after, next: isGood ? counter + 1 : next, depth + 1)
            }
        }
        tell(try HOTPVerifier(lookAhead: 2), next: 0, 0)
        #expect(
            stories
                == (0...4).reduce(0) { sum, depth in
                    sum + (0..<depth).reduce(1) { product, _ in product * 8 }
                })
    }

    @Test func `random codes are accepted exactly within the window and for their own secret`()
        throws
    {
        var generator = TestSeed.generator(72)
        for _ in 0..<300 {
            let secret = OTPSecret.random(using: &generator),
                other = OTPSecret.random(using: &generator)
            let hotp = try HOTP(
                digits: .random(in: 8...10, using: &generator),
                hash: OTPHash.allCases.randomElement(using: &generator)!)
            let next = UInt64.random(in: 0...(.max - 300), using: &generator),
                lookAhead = Int.random(in: 0...20, using: &generator)
            let counter = next + UInt64.random(in: 0...40, using: &generator)
            var verifier = try HOTPVerifier(nextCounter: next, lookAhead: lookAhead)
            #expect(
                verifier.verify(hotp.code(at: counter, with: other), hotp, with: secret) == .refused
                    && verifier.nextCounter == next)
            let isGood = counter <= next + UInt64(lookAhead)
            #expect(
                verifier.verify(hotp.code(at: counter, with: secret), hotp, with: secret).isAccepted
                    == isGood)
            #expect(verifier.nextCounter == (isGood ? counter + 1 : next))
        }
    }

    @Test func `the last counter does not overflow and is never used`()
        throws
    {
        let hotp = try HOTP(digits: 8), secret = try countingSecret(20)
        var verifier = try HOTPVerifier(nextCounter: .max - 1, lookAhead: 10)
        #expect(verifier.verify(hotp.code(at: .max, with: secret), hotp, with: secret) == .refused)
        #expect(
            verifier.verify(hotp.code(at: .max - 1, with: secret), hotp, with: secret)
                == .accepted(at: .max - 1))
        #expect(verifier.nextCounter == .max)
        for counter: UInt64 in [.max, .max - 1, 0] {
            #expect(
                verifier.verify(hotp.code(at: counter, with: secret), hotp, with: secret)
                    == .refused)
        }
    }

    /// Compares every story of four codes, from counters 0 to 11, with RFC 4226 §7.4: near codes
    /// count at once, far ones only after the one before them.
    @Test func `two consecutive codes from far ahead resynchronize a token`() throws {
        let hotp = try HOTP(digits: 9), secret = try countingSecret(20)
        let codes = (0..<12).map { hotp.code(at: $0, with: secret) }
        var accepted = 0
        func tell(_ verifier: HOTPVerifier, next: UInt64, awaited: UInt64?, _ depth: Int) {
            if depth == 4 { return }
            for counter in UInt64(0)..<12 {
                var after = verifier
                let isNear = (next...next + 1).contains(counter),
                    isFar = (next + 2...next + 6).contains(counter)
                let isGood = isNear || isFar && counter == awaited
                let verdict = after.verify(codes[Int(counter)], hotp, with: secret)
                let expected = isGood ? nil : isFar ? counter + 1 : awaited
                if verdict != (isGood ? .accepted(at: counter) : .refused)
                    || after.nextCounter != (isGood ? counter + 1 : next)
                    || after.awaitedCounter != expected
                {
                    Issue.record("from \(next), awaiting \(awaited as Any): \(counter): \(verdict)")
                }
                if isGood, !isNear { accepted += 1 }
                tell(after, next: after.nextCounter, awaited: expected, depth + 1)
            }
        }
        tell(try HOTPVerifier(lookAhead: 1, reach: 5), next: 0, awaited: nil, 0)
        #expect(accepted > 100)
    }

    @Test func `a token is resynchronized from a stored counter, within the reach`() throws {
        let hotp = try HOTP(digits: 8), secret = try countingSecret(20)
        func verify(_ counter: UInt64, awaiting awaited: UInt64?) throws -> (CodeVerdict, UInt64?) {
            var verifier = try HOTPVerifier(
                nextCounter: 5, lookAhead: 10, reach: 1000, awaitedCounter: awaited)
            return (
                verifier.verify(hotp.code(at: counter, with: secret), hotp, with: secret),
                verifier.awaitedCounter
            )
        }
        #expect(try verify(1014, awaiting: nil) == (.refused, 1015))
        #expect(try verify(1015, awaiting: 1015) == (.accepted(at: 1015), nil))
        #expect(try verify(1016, awaiting: 1016) == (.refused, 1016), "beyond the reach")
        #expect(try verify(4, awaiting: 4) == (.refused, 4), "behind the counter")
        #expect(throws: OTPError(.window, "")) { try HOTPVerifier(reach: 1001) }
        let end = try HOTPVerifier(nextCounter: .max - 1, lookAhead: 10, reach: 1000)
        var last = end
        #expect(last.verify(hotp.code(at: .max, with: secret), hotp, with: secret) == .refused)
    }

    @Test func `a code with fewer digits than agreed is rejected`() throws {
        let secret = try countingSecret(20), long = try HOTP(digits: 8), short = try HOTP()
        var verifier = try HOTPVerifier()
        #expect(verifier.verify(short.code(at: 0, with: secret), long, with: secret) == .refused)
        #expect(try verifier.verify(code("84755224"), long, with: secret) == .accepted(at: 0))
    }
}

@Suite struct TOTPVerifierTests {
    /// Covers every story of four codes, each from one of seven steps, sent in one of seven steps.
    @Test func `in every short story no step is accepted twice, nor an older one after it`() throws
    {
        let totp = try TOTP(digits: 8), secret = try countingSecret(20)
        let codes = (0..<7).map { totp.code(atStep: $0, with: secret) }
        var stories = 0
        func tell(_ verifier: TOTPVerifier, last: Int, now: Int, _ depth: Int) {
            stories += 1
            if depth == 4 { return }
            for sentAt in now..<7 {
                for step in 0..<7 {
                    var after = verifier
                    let isGood = abs(step - sentAt) <= 1 && step > last
                    let verdict = after.verify(
                        codes[step], totp, with: secret,
                        at: Instant(seconds: Int64(sentAt) * 30 + 29))
                    #expect(verdict == (isGood ? .accepted(at: UInt64(step)) : .refused))
                    #expect(
                        after.lastStep == (isGood ? UInt64(step) : last < 0 ? nil : UInt64(last)))
                    // Refused codes change nothing, so not all need to be followed.
                    if isGood || step == 0 {
                        tell(after, last: isGood ? step : last, now: sentAt, depth + 1)
                    }
                }
            }
        }
        tell(try TOTPVerifier(), last: -1, now: 0, 0)
        #expect(stories > 1000)
    }

    @Test func `a clock difference is tolerated up to the agreed number of steps`() throws {
        let totp = try TOTP(), secret = try countingSecret(20), now = Instant(seconds: 3000)
        for skew in [0, 1, 10] {
            for off in -12...12 {
                var verifier = try TOTPVerifier(skew: skew)
                let verdict = verifier.verify(
                    totp.code(atStep: UInt64(100 + off), with: secret), totp, with: secret, at: now)
                #expect(verdict.isAccepted == (abs(off) <= skew), "\(off) of \(skew)")
            }
        }
    }

    @Test func `before the epoch no code is accepted, and at the epoch nothing underflows`()
        throws
    {
        let totp = try TOTP(epoch: 1000), secret = try countingSecret(20)
        var verifier = try TOTPVerifier(skew: 10)
        #expect(
            verifier.verify(
                totp.code(atStep: 0, with: secret), totp, with: secret, at: Instant(seconds: 999))
                == .refused)
        #expect(
            verifier.verify(
                totp.code(atStep: 0, with: secret), totp, with: secret, at: Instant(seconds: 1000))
                == .accepted(at: 0))
        #expect(
            verifier.verify(
                totp.code(atStep: 0, with: secret), totp, with: secret, at: Instant(seconds: 1000))
                == .refused)
    }
}
