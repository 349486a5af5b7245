internal import HTTPTypes
package import Hummingbird

extension Request {
    /// The scheme and token of the `Authorization` header.
    package var accessToken: (scheme: String, token: String)? {
        let fields = headers[values: .authorization]
        guard fields.count == 1, let text = fields.first, text.utf8.count <= 16 * 1024,
            let space = text.firstIndex(of: " ")
        else { return nil }
        let token = text[text.index(after: space)...].drop { $0 == " " }
        switch text[..<space].lowercased() {
        case "bearer": return ("Bearer", String(token))
        case "dpop": return ("DPoP", String(token))
        default: return nil
        }
    }
}
