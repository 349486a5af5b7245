internal import Foundation
internal import HTTPTypes
internal import Hummingbird

extension Request {
    /// The credential after `Bearer`.
    package var bearer: String? {
        guard let text = headers[.authorization], text.utf8.count <= 512,
            text.lowercased().hasPrefix("bearer ")
        else { return nil }
        return text.dropFirst(7).trimmingCharacters(in: .whitespaces)
    }
}
