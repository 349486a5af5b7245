internal import Hummingbird
internal import MienCore

/// `application/x-www-form-urlencoded`, read strictly: a parameter comes once (RFC 6749 §3.2), but for those that may come again.
struct FormBody: Sendable {
    private static let mostParameters = 64
    private static let repeatable: Set<String> = ["resource"]

    private let values: [String: [String]]

    /// - Throws: ``OAuthError`` `invalid_request`.
    init(_ request: Request, mostBytes: Int, budget: BodyBudget) async throws {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw OAuthError(.invalidRequest, "send content-type: application/x-www-form-urlencoded", status: .unsupportedMediaType)
        }
        let bytes = try await JSONBody.collect(request, upTo: mostBytes, budget.share())
        guard let text = String(validating: bytes, as: UTF8.self) else { throw OAuthError(.invalidRequest, "the body is not UTF-8") }
        try self.init(text)
    }

    /// - Throws: ``OAuthError`` `invalid_request` for a parameter that comes twice, and for what is no form.
    init(_ text: some StringProtocol) throws(OAuthError) {
        var values: [String: [String]] = [:]
        let pairs = text.split(separator: "&")
        guard pairs.count <= Self.mostParameters else { throw OAuthError(.invalidRequest, "there are more than \(Self.mostParameters) parameters") }
        for pair in pairs {
            let end = pair.firstIndex(of: "=") ?? pair.endIndex
            guard let name = Self.decoded(pair[..<end]), let value = Self.decoded(end < pair.endIndex ? pair[pair.index(after: end)...] : "") else {
                throw OAuthError(.invalidRequest, "a parameter is not percent-encoded UTF-8")
            }
            // RFC 6749 §3.1: a parameter without a value is one that was left out.
            if value.isEmpty { continue }
            values[name, default: []].append(value)
        }
        for (name, found) in values where found.count > 1 && !Self.repeatable.contains(name) {
            throw OAuthError(.invalidRequest, "a parameter comes twice: \(String(name.prefix(64)).filter { $0.isASCII && !$0.isNewline })")
        }
        self.values = values
    }

    subscript(_ name: String) -> String? { values[name]?.first }
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// - Throws: ``OAuthError`` `invalid_request` when it is missing.
    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return value
    }

    static func decoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
        var bytes: [UInt8] = [], rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(32)
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(nibble), let low = rest.next().flatMap(nibble) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// As a form writes it: everything but `A-Z a-z 0-9 - . _ ~` in percents.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Forms hold passwords, secrets and tokens.
extension FormBody: CustomStringConvertible, CustomReflectable {
    var description: String { "a form of \(values.count) parameters" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
