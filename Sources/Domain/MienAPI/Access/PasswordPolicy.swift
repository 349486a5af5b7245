/// The requirements for a new password. By NIST SP 800-63B-4 §3.1.1, length counts, composition
/// rules do not, and common passwords are refused.
public struct PasswordPolicy: Sendable, Hashable {
    /// In Unicode scalars, 8...64.
    public let minimumLength: Int
    /// In UTF-8 bytes. Longer passwords would make hashing a way to keep the server busy.
    public static let maxBytes = 512

    public static let standard = PasswordPolicy(minimumLength: 8)

    /// - Precondition: 8...64.
    public init(minimumLength: Int) {
        precondition((8...64).contains(minimumLength), "the minimum length must be 8...64")
        self.minimumLength = minimumLength
    }

    /// - Parameter names: the user's own names. A password that equals one of them is refused.
    /// - Returns: the fault, or `nil` if there is none.
    public func fault(of password: String, names: [String] = []) -> PasswordFault? {
        if password.utf8.count > Self.maxBytes { return .tooLong }
        if password.unicodeScalars.count < minimumLength { return .tooShort(least: minimumLength) }
        let folded = password.lowercased()
        if Set(folded).count <= 2 || Self.common.contains(folded) || Self.isRun(folded) {
            return .common
        }
        if names.contains(where: { !$0.isEmpty && $0.lowercased() == folded }) { return .isName }
        return nil
    }

    /// Whether the characters go up or down by one throughout: "12345678", "hgfedcba".
    private static func isRun(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.map { Int($0.value) }
        let steps = Set(zip(scalars, scalars.dropFirst()).map { $1 - $0 })
        return steps == [1] || steps == [-1]
    }

    /// The most frequent passwords in breaches with eight or more characters. Shorter ones are
    /// refused anyway.
    private static let common: Set<String> = [
        "password", "password1", "password12", "password123", "passw0rd", "p@ssw0rd", "p@ssword",
        "qwertyui", "qwertyuiop", "qwerty123", "qwerty12",
        "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "zaq12wsx", "q1w2e3r4", "q1w2e3r4t5", "abcd1234",
        "abc12345", "a1b2c3d4", "iloveyou", "iloveyou1",
        "sunshine", "princess", "football", "baseball", "superman", "starwars", "trustno1",
        "whatever", "computer", "michelle", "jennifer",
        "internet", "liverpool", "chocolate", "welcome1", "welcome123", "letmein1", "letmein123",
        "changeme", "changeme1", "changeme123",
        "default1", "administrator", "admin123", "admin1234", "adminadmin", "root1234", "test1234",
        "testtest", "guest123", "secret123",
        "asdfghjk", "asdfghjkl", "asdfasdf", "zxcvbnm1", "zxcvbnm123", "11223344", "12341234",
        "123123123", "12345678910", "123456789a",
        "123454321", "147258369", "789456123", "87654321", "987654321", "1234qwer", "qwer1234",
        "q1w2e3r4t5y6", "google123", "facebook",
        "mustang1", "master12", "shadow12", "dragon12", "monkey12", "charlie1", "jordan23",
        "michael1", "samantha", "corvette", "maverick",
    ]
}

/// The reason a password is refused.
public enum PasswordFault: Sendable, Hashable, CustomStringConvertible {
    case tooShort(least: Int)
    case tooLong
    case common
    case isName

    public var code: String {
        switch self {
        case .tooShort: "password_too_short"
        case .tooLong: "password_too_long"
        case .common: "password_too_common"
        case .isName: "password_is_name"
        }
    }

    public var description: String {
        switch self {
        case .tooShort(let least): "the password must have at least \(least) characters"
        case .tooLong: "the password must have at most \(PasswordPolicy.maxBytes) bytes"
        case .common: "this password is too common; choose another one"
        case .isName: "the password must not be the user's own name"
        }
    }
}
