/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1):
/// `DPoP error="use_dpop_nonce", algs="ES256"`.
struct AuthenticationChallenge: Sendable, Hashable {
    private static let maxBytes = 8192

    /// The scheme in lower case.
    let scheme: String
    /// The parameters, with names in lower case. The first value of a name counts.
    var parameters: [String: String] = [:]

    /// Parses a field with any number of challenges. Stops at the first unexpected byte and returns
    /// the challenges before it.
    static func parse(_ field: String) -> [Self] {
        guard field.utf8.count <= maxBytes else { return [] }
        var reader = Reader(bytes: Array(field.utf8)), challenges: [Self] = []
        while true {
            reader.skip { $0 == UInt8(ascii: ",") || isSpace($0) }
            guard let name = reader.token() else { return challenges }
            reader.skip(isSpace)
            if reader.take(UInt8(ascii: "=")) {
                reader.skip(isSpace)
                guard !challenges.isEmpty, let value = reader.value() else { return challenges }
                let last = challenges.count - 1
                if challenges[last].parameters[name] == nil {
                    challenges[last].parameters[name] = value
                }
            } else {
                challenges.append(Self(scheme: name))
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        mutating func skip(_ isSkipped: (UInt8) -> Bool) {
            while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
        }

        mutating func take(_ byte: UInt8) -> Bool {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }

        /// Reads a token in lower case; `nil` if no token starts here.
        mutating func token() -> String? {
            let start = index
            skip(Self.isTokenByte)
            return start == index
                ? nil : String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        }

        /// Reads a token unchanged, or a quoted string.
        mutating func value() -> String? {
            let start = index
            guard take(UInt8(ascii: "\"")) else {
                skip(Self.isTokenByte)
                return start == index ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
            }
            var text: [UInt8] = []
            while index < bytes.count {
                defer { index += 1 }
                switch bytes[index] {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\") where index + 1 < bytes.count:
                    index += 1
                    text.append(bytes[index])
                default: text.append(bytes[index])
                }
            }
            return nil
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }
}
