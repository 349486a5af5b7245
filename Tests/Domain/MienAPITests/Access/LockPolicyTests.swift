import Foundation
import MienAPI
import MienCore
import Testing

@Suite struct LockPolicyTests {
    @Test(arguments: [(1, 1, 1), (100, 86_400, 100), (5, 30, 5), (5, 30, 100)])
    func `numbers in range are accepted`(attempts: Int, seconds: Int, disable: Int) throws {
        let policy = try LockPolicy(
            failedAttempts: attempts, lockoutSeconds: seconds, disableAfter: disable)
        #expect(
            policy.failedAttempts == attempts && policy.lockoutSeconds == seconds
                && policy.disableAfter == disable)
        #expect(
            try JSONDecoder().decode(LockPolicy.self, from: JSONEncoder().encode(policy)) == policy)
    }

    @Test(arguments: [
        (0, 30, 50, "failed_attempts must be 1 to 100, not 0"),
        (101, 30, 101, "failed_attempts must be 1 to 100, not 101"),
        (-1, 30, 50, "failed_attempts must be 1 to 100, not -1"),
        (5, 0, 50, "lockout_seconds must be 1 to 86,400 (a day), not 0"),
        (5, 86_401, 50, "lockout_seconds must be 1 to 86,400 (a day), not 86401"),
        (5, 30, 4, "disable_after must be 1 to 100 and at least failed_attempts, not 4"),
        (5, 30, 101, "disable_after must be 1 to 100 and at least failed_attempts, not 101"),
    ])
    func `numbers out of range are named`(attempts: Int, seconds: Int, disable: Int, words: String)
        throws
    {
        let error = #expect(throws: LockPolicyError.self) {
            try LockPolicy(failedAttempts: attempts, lockoutSeconds: seconds, disableAfter: disable)
        }
        #expect(error?.description == words)
        let json =
            #"{"failed_attempts":\#(attempts),"lockout_seconds":\#(seconds),"disable_after":\#(disable)}"#
        #expect(throws: LockPolicyError.self) {
            try JSONDecoder().decode(LockPolicy.self, from: Data(json.utf8))
        }
    }

    /// The guide's two settings are sufficient.
    @Test(arguments: [(1, 50), (5, 50), (50, 50), (51, 51), (100, 100)])
    func `failed attempts and lockout duration alone disable at NIST's bound`(
        attempts: Int, disable: Int
    ) throws {
        let json = #"{"failed_attempts":\#(attempts),"lockout_seconds":30}"#
        #expect(
            try JSONDecoder().decode(LockPolicy.self, from: Data(json.utf8)).disableAfter == disable
        )
    }

    @Test(arguments: [
        "{}", #"{"failed_attempts":5}"#, #"{"lockout_seconds":30}"#,
        #"{"failed_attempts":"5","lockout_seconds":30}"#,
    ])
    func `a policy with only half of its settings is rejected`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(LockPolicy.self, from: Data(json.utf8))
        }
    }

    @Test func `one attempt at a time is the default, and another word is refused`() throws {
        func policy(_ more: String) throws -> LockPolicy {
            let json = #"{"failed_attempts":5,"lockout_seconds":30,"disable_after":50\#(more)}"#
            return try JSONDecoder().decode(LockPolicy.self, from: Data(json.utf8))
        }
        #expect(try policy("").afterLock == .oneAtATime)
        #expect(try policy(#","after_lock":"one_at_a_time""#) == policy(""))
        let again = try policy(#","after_lock":"again""#)
        #expect(again.afterLock == .again)
        #expect(
            try JSONDecoder().decode(LockPolicy.self, from: JSONEncoder().encode(again)) == again)
        let error = #expect(throws: LockPolicyError.self) {
            try policy(#","after_lock":"Again""#)
        }
        #expect(error?.description == "after_lock must be one_at_a_time or again")
        #expect(
            AuthenticatorType.allCases.allSatisfy {
                $0.defaultLockPolicy.afterLock == .oneAtATime
            })
    }

    @Test func `defaults follow NIST SP 800-63B-4`() {
        let defaults = AuthenticatorType.allCases.map { ($0.rawValue, $0.defaultLockPolicy) }
        for (type, policy) in defaults {
            #expect(policy.disableAfter <= (type == "face" ? 50 : 100))
        }
        #expect(LockPolicy.face.failedAttempts == 5 && LockPolicy.face.lockoutSeconds == 30)
    }

    @Test func `each authenticator has its amr value and its scope`() {
        #expect(
            AuthenticatorType.allCases.map(\.method) == [
                "pwd", "face", "hwk", "otp", "pop", "otp", "x_recovery_code",
            ])
        #expect(AuthenticatorType.allCases.filter(\.isPerApp) == [.face, .nativeBiometrics, .otp])
    }
}

@Suite struct StrictestPolicyTests {
    @Test
    func
        `the strictest of several policies has the fewest failures and the longest lock, and is valid`()
        throws
    {
        // All combinations of three policies from a small set.
        var all: [LockPolicy] = []
        for attempts in [1, 2, 5] {
            for seconds in [1, 60] {
                for disable in [1, 2, 5, 50] where disable >= attempts {
                    all.append(
                        try LockPolicy(
                            failedAttempts: attempts, lockoutSeconds: seconds, disableAfter: disable
                        ))
                }
            }
        }
        for first in all {
            for second in all {
                for third in all {
                    let strictest = try #require(LockPolicy.strictest(of: [first, second, third]))
                    let expected = try LockPolicy(
                        failedAttempts: [first, second, third].map(\.failedAttempts).min()!,
                        lockoutSeconds: [first, second, third].map(\.lockoutSeconds).max()!,
                        disableAfter: [first, second, third].map(\.disableAfter).min()!)
                    if strictest != expected {
                        Issue.record("\(first), \(second), \(third): \(strictest)")
                    }
                }
            }
        }
        #expect(LockPolicy.strictest(of: []) == nil)
        func strictest(_ words: [LockPolicy.AfterLock]) throws -> LockPolicy.AfterLock? {
            try LockPolicy.strictest(
                of: words.map {
                    try LockPolicy(
                        failedAttempts: 5, lockoutSeconds: 30, disableAfter: 50, afterLock: $0)
                })?.afterLock
        }
        #expect(try strictest([.again, .again]) == .again)
        #expect(try strictest([.again, .oneAtATime, .again]) == .oneAtATime)
    }
}
