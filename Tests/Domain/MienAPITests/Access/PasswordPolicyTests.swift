import MienAPI
import Testing

@Suite struct PasswordPolicyTests {
    @Test(arguments: [
        ("", PasswordFault.tooShort(least: 8)), ("1234567", .tooShort(least: 8)),
        ("aaaaaaaa", .common), ("abababab", .common),
        ("AbAbAbAb", .common), ("12345678", .common), ("hgfedcba", .common), ("ABCDEFGH", .common),
        ("Password", .common), ("PASSWORD123", .common),
        ("ana.lima", .isName), ("ANA.Lima", .isName),
        (String(repeating: "ab1", count: 171), .tooLong), ("👩‍👩‍👧", .tooShort(least: 8)),
    ])
    func `common passwords are rejected`(password: String, fault: PasswordFault) {
        #expect(PasswordPolicy.standard.fault(of: password, names: ["", "Ana.Lima"]) == fault)
    }

    /// Composition rules are not required: NIST SP 800-63B-4 §3.1.1.2.
    @Test(arguments: [
        "korrekt pferd", "zzzyyyxx", "        x.", "пароль-2026", "ana.lima1",
        "correcthorsebatterystaple", "7531 9642",
    ])
    func `any other password of sufficient length is accepted`(password: String) {
        #expect(PasswordPolicy.standard.fault(of: password, names: ["ana.lima"]) == nil)
    }

    @Test func `512 bytes are the maximum`() {
        #expect(PasswordPolicy.standard.fault(of: String(repeating: "abc4", count: 128)) == nil)
        #expect(
            PasswordPolicy.standard.fault(of: String(repeating: "abc4", count: 128) + "x")
                == .tooLong)
    }

    @Test func `length counts scalars, not bytes`() {
        #expect(PasswordPolicy(minimumLength: 10).fault(of: "éèêëñõüß1") == .tooShort(least: 10))
        #expect(PasswordPolicy(minimumLength: 10).fault(of: "éèêëñõüß12") == nil)
    }

    @Test(arguments: [7, 65]) func `a policy out of range is a bug`(length: Int) async {
        await #expect(processExitsWith: .failure) { [length = length as Int] in
            _ = PasswordPolicy(minimumLength: length)
        }
    }

    @Test func `faults have stable codes and texts`() {
        let faults: [PasswordFault] = [.tooShort(least: 8), .tooLong, .common, .isName]
        #expect(
            faults.map(\.code) == [
                "password_too_short", "password_too_long", "password_too_common",
                "password_is_name",
            ])
        #expect(
            faults.map(\.description).allSatisfy { !$0.isEmpty }
                && faults[0].description == "the password must have at least 8 characters")
    }
}
