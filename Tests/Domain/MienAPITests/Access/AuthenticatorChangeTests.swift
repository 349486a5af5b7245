import MienAPI
import MienCore
import Testing

@Suite("Changes of authenticators")
struct AuthenticatorChangeTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)
    private static let rule = ChangeRule(freshSeconds: 300)

    private static func proof(_ methods: [String], secondsAgo: Int, isRecovery: Bool = false)
        -> SignInProof
    {
        SignInProof(methods: methods, at: now + .seconds(-secondsAgo), isRecovery: isRecovery)
    }

    private static let proofs: [SignInProof] = [["pwd"], ["pop", "mfa"]].flatMap { methods in
        [-1, 0, 299, 300, 301, 86_400].flatMap { age in
            [false, true].map { proof(methods, secondsAgo: age, isRecovery: $0) }
        }
    }

    @Test("the rule agrees with an oracle on every pair of proofs, change, and reachable assurance")
    func smallWorld() {
        for change in AuthenticatorChange.allCases {
            for reachable in AssuranceLevel.allCases {
                for first in Self.proofs {
                    for second in Self.proofs + [first] {
                        let found = Self.rule.shortfall(
                            for: change, proofs: [first, second], reachable: reachable, at: Self.now
                        )
                        #expect(
                            found == Self.expected(change, [first, second], reachable),
                            "\(change) \(reachable) \(first) \(second)")
                    }
                }
            }
        }
    }

    /// The same rule written independently: one proof must satisfy every condition by itself.
    private static func expected(
        _ change: AuthenticatorChange, _ proofs: [SignInProof], _ reachable: AssuranceLevel
    ) -> ChangeRule.Shortfall? {
        var sawFresh = false
        for proof in proofs {
            let age = now - proof.at
            guard age >= .zero, age <= .seconds(300) else { continue }
            sawFresh = true
            if change == .remove || proof.isRecovery { return nil }
            let level = proof.methods.contains("mfa") ? 2 : 1
            if level >= reachable.rawValue { return nil }
        }
        return sawFresh ? .weak(needed: reachable) : .stale
    }

    @Test("a sign-in without proofs allows no change")
    func nothing() {
        #expect(
            Self.rule.shortfall(for: .remove, proofs: [], reachable: .none, at: Self.now) == .stale)
    }

    @Test("a fresh weak proof and an old strong one do not add up")
    func noMixing() {
        let proofs = [
            Self.proof(["pop", "mfa"], secondsAgo: 3600), Self.proof(["pwd"], secondsAgo: 1),
        ]
        #expect(
            Self.rule.shortfall(for: .add, proofs: proofs, reachable: .multiFactor, at: Self.now)
                == .weak(needed: .multiFactor))
    }

    @Test(
        "acr counts the proved factors",
        arguments: [
            ([], "1", AssuranceLevel.none), (["pwd"], "1", .singleFactor),
            (["pwd", "otp"], "2", .multiFactor), (["face"], "1", .singleFactor),
            (["face", "pwd"], "2", .multiFactor), (["pop", "mfa"], "2", .multiFactor),
            (["pop"], "1", .singleFactor),
            // A biometric without attestation.
            (["pop", "x_biometric"], "1", .singleFactor), (["x_biometric"], "1", .singleFactor),
            (["hwk", "x_biometric"], "2", .multiFactor),
            (["hwk"], "1", .singleFactor), (["pwd", "pop", "x_biometric"], "2", .multiFactor),
            (["pwd", "pin"], "1", .singleFactor),
            // The device's own PIN, without an attestation that the device checks it.
            (["pop", "pin"], "1", .singleFactor), (["hwk", "pin"], "1", .singleFactor),
            (["hwk", "mfa", "pin"], "2", .multiFactor), (["pwd", "pop", "pin"], "2", .multiFactor),
            (["otp", "hwk"], "1", .singleFactor),
        ])
    func context(_ methods: [String], _ acr: String, _ level: AssuranceLevel) {
        #expect(
            AuthenticationContext.of(methods) == acr
                && AuthenticationContext.assurance(of: methods) == level)
    }
}
