/// An Android app that attested keys may belong to: its package and its signers.
public struct AndroidApp: Sendable, Hashable, Codable {
    public static let packageBytes = 1...255, digestsRange = 1...16

    public var package: String
    /// SHA-256 of its signing certificates in hexadecimal, with or without colons between the
    /// bytes, as `keytool` prints them.
    public var signatureDigests: [String]

    public init(package: String, signatureDigests: [String]) {
        (self.package, self.signatureDigests) = (package, signatureDigests)
    }

    /// Parses a digest; `nil` unless it is 32 bytes of hexadecimal.
    public static func digest(_ text: String) -> [UInt8]? {
        let parts =
            text.contains(":")
            ? text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            : Self.pairs(text)
        guard parts.count == 32 else { return nil }
        let bytes = parts.compactMap {
            $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) ? UInt8($0, radix: 16) : nil
        }
        return bytes.count == 32 ? bytes : nil
    }

    private static func pairs(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard bytes.count == 64 else { return [] }
        return stride(from: 0, to: 64, by: 2).map {
            String(decoding: bytes[$0..<$0 + 2], as: UTF8.self)
        }
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        let parts = package.split(separator: ".", omittingEmptySubsequences: false)
        if !Self.packageBytes.contains(package.utf8.count) || parts.count < 2
            || !parts.allSatisfy(Self.isName)
        {
            faults.append(("package", "must be a package name like org.example.app"))
        }
        if !Self.digestsRange.contains(signatureDigests.count) {
            faults.append(
                (
                    "signature_digests",
                    "must contain 1 to 16 digests; without one, any app with this package name would be accepted"
                ))
        }
        for (index, digest) in signatureDigests.enumerated() where Self.digest(digest) == nil {
            faults.append(
                (
                    "signature_digests[\(index)]",
                    "must be the SHA-256 of a signing certificate: 32 bytes in hexadecimal, optionally separated by colons"
                ))
        }
        return faults
    }

    private static func isName(_ part: Substring) -> Bool {
        part.first.map { $0.isASCII && $0.isLetter } == true
            && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case package, signatureDigests = "signature_digests"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)
}
