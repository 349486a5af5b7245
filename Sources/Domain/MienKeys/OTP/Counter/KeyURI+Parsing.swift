internal import MienCore

extension KeyURI {
    /// Whether a text is meant to be a URI, not a bare secret.
    public static func isMeant(by text: some StringProtocol) -> Bool {
        text.prefix(7).lowercased() == "otpauth"
    }

    /// Parses the URI that a QR code shows. Label, issuer, and unknown parameters are ignored.
    public init(parsing text: String) throws(OTPError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let head = parts[0].lowercased()
        guard !head.hasPrefix("otpauth-migration:") else {
            throw OTPError(
                .secret,
                "this URI exports the accounts of an app; give the secret of one account instead")
        }
        guard head.hasPrefix("otpauth://"), parts.count == 2 else {
            throw OTPError(
                .secret,
                "the URI must be like otpauth://totp/Example:ada?secret=…, or give only its secret")
        }
        let values = try Self.parameters(parts[1])
        guard let letters = values["secret"] else {
            throw OTPError(.secret, "the URI has no secret; scan or copy the whole URI")
        }
        let hotp = try HOTP(
            digits: Self.number(values["digits"], "digits") ?? 6,
            hash: Self.hash(values["algorithm"]))
        switch head.dropFirst("otpauth://".count).prefix(while: { $0 != "/" }) {
        case "totp":
            kind = .totp(
                try TOTP(
                    digits: hotp.digits, hash: hotp.hash,
                    stepSeconds: Self.number(values["period"], "period") ?? 30))
        case "hotp":
            kind = .hotp(hotp, counter: try Self.number(values["counter"], "counter") ?? 0)
        default:
            throw OTPError(.secret, "the URI must be of the type totp or hotp")
        }
        secret = try OTPSecret(base32: letters)
        self.text = text
    }

    /// - Returns: The values of the parameters that count, by their names in lower case. An empty
    ///   value counts as absent.
    private static func parameters(_ query: Substring) throws(OTPError) -> [String: String] {
        let names: Set = ["secret", "algorithm", "digits", "period", "counter"]
        var values: [String: String] = [:]
        for pair in query.prefix(while: { $0 != "#" }).split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            var name = sides[0].lowercased()
            // An address that was copied from the source of a page.
            if name.hasPrefix("amp;") { name.removeFirst(4) }
            guard names.contains(name), sides.count == 2 else { continue }
            guard let value = unescaped(sides[1]), values.updateValue(value, forKey: name) == nil
            else {
                throw OTPError(.secret, "the URI's parameter \(name) is malformed or repeated")
            }
        }
        return values
    }

    /// Accepts a fraction of zeros, as in `30.0`, which programs without whole numbers write.
    private static func number<Number: FixedWidthInteger>(_ text: String?, _ name: String)
        throws(OTPError) -> Number?
    {
        guard let text else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Number(parts[0]),
            parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 == "0" } })
        else {
            throw OTPError(.secret, "the URI's parameter \(name) must be a number")
        }
        return number
    }

    /// Accepts the spellings `SHA256`, `sha-256`, and `HmacSHA256`.
    private static func hash(_ text: String?) throws(OTPError) -> OTPHash {
        guard let text else { return .sha1 }
        let letters = text.uppercased().filter { $0 != "-" }
        let name = letters.hasPrefix("HMAC") ? String(letters.dropFirst(4)) : letters
        guard let hash = OTPHash(rawValue: name) else {
            throw OTPError(.secret, "the URI's algorithm must be SHA1, SHA256, or SHA512")
        }
        return hash
    }

    /// Decodes percent-encoding (RFC 3986 §2.1), and `+` for a space, as forms write it.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = [], rest = text.utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let pair = Hex.nibbles(rest.prefix(2)), pair.count == 2 else { return nil }
                bytes += Hex.pack(pair)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validUTF8: bytes)
    }
}
