internal import MienCore

extension Connection {
    /// Sends a form; refusals in OAuth's words become ``MienError`` with ``MienError/oauthError``.
    func form(
        _ path: [String], _ fields: [(String, String)], bearer: Sensitive<String>? = nil, isRepeatable: Bool = false
    ) async throws -> HTTPTransportResponse {
        let text = fields.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
        return try await send(
            Call(
                method: .post, path: path, bearer: bearer, contentType: "application/x-www-form-urlencoded", body: Array(text.utf8),
                isRepeatable: isRepeatable))
    }

    private static func encoded(_ text: String) -> String {
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
}
