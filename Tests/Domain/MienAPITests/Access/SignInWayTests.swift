import MienAPI
import MienCore
import Testing

@Suite("Ways to confirm who somebody is")
struct SignInWayTests {
    private static let all: [SignInWay] = [
        SignInWay(.password, methods: ["pwd"]), SignInWay(.face, methods: ["face"]),
        SignInWay(.passkey, methods: ["pop", "mfa"]), SignInWay(.otp, methods: ["otp"]),
        SignInWay(.nativeBiometrics, methods: ["hwk", "x_biometric"]),
        SignInWay(.emailCode, methods: []),
    ]

    private static func assurance(_ ways: [SignInWay], _ proved: Set<String>) -> AssuranceLevel {
        AuthenticationContext.assurance(
            of: ways.reduce(into: proved) { $0.formUnion($1.methods) })
    }

    @Test("for every account and every proof, each combination is enough and has no way too many")
    func smallWorld() {
        for bits in 0..<(1 << Self.all.count) {
            let ways = Self.all.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
            for proved in [Set<String>(), ["pwd"], ["face"], ["otp"]] {
                for needed in [AssuranceLevel.singleFactor, .multiFactor]
                where Self.assurance([], proved) < needed {
                    let found = SignInWay.combinations(of: ways, beside: proved, reaching: needed)
                    #expect(found.isEmpty == (Self.assurance(ways, proved) < needed))
                    for combination in found {
                        #expect(Self.assurance(combination, proved) >= needed)
                        for way in combination {
                            let others = combination.filter { $0 != way }
                            #expect(Self.assurance(others, proved) < needed)
                        }
                    }
                }
            }
        }
    }

    @Test("a change that needs only a recent sign-in takes any way, also a mailed code")
    func recent() {
        let found = SignInWay.combinations(of: Self.all, beside: [], reaching: .none)
        #expect(found == Self.all.map { [$0] })
    }
}
