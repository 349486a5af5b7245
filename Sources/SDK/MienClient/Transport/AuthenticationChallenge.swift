/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1):
/// `DPoP error="use_dpop_nonce", algs="ES256"`.
struct AuthenticationChallenge: Sendable, Hashable {
    private static let maxBytes = 8192

    /// In lower case.
    let scheme: String
    /// Names in lower case. The first value of a name counts.
    var parameters: [String: String] = [:]

    /// Reads a field with any number of challenges. Stops at the first byte that is out of place
    /// and keeps what came before.
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
        var place = 0

        mutating func skip(_ isSkipped: (UInt8) -> Bool) {
            while place < bytes.count, isSkipped(bytes[place]) { place += 1 }
        }

        mutating func take(_ byte: UInt8) -> Bool {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
            return true
        }

        /// In lower case; `nil` where no token starts.
        mutating func token() -> String? {
            let start = place
            skip(Self.isTokenByte)
            return start == place
                ? nil : String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
        }

        /// A token as it is written, or a quoted string.
        mutating func value() -> String? {
            let start = place
            guard take(UInt8(ascii: "\"")) else {
                skip(Self.isTokenByte)
                return start == place ? nil : String(decoding: bytes[start..<place], as: UTF8.self)
            }
            var text: [UInt8] = []
            while place < bytes.count {
                defer { place += 1 }
                switch bytes[place] {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\") where place + 1 < bytes.count:
                    place += 1
                    text.append(bytes[place])
                default: text.append(bytes[place])
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
