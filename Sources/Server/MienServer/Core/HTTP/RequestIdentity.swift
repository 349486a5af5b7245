internal import HTTPTypes
internal import Hummingbird
internal import MienCore

/// The ID that identifies a request in its response and in the log: the client's own, or a new one.
enum RequestIdentity {
    /// The key of the ID in the log.
    static let key = "request.id"

    /// Returns the client's ID if it has 1 to 64 characters of `A-Z a-z 0-9 - _ .`, which are safe
    /// in a log and in a terminal.
    static func given(_ request: Request) -> String? {
        guard let id = request.headers[.requestID], (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({
                $0.isLetterOrDigit
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            })
        else { return nil }
        return id
    }

    /// Draws an ID.
    static func made() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(generator.bytes(12))
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
