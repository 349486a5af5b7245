internal import HTTPTypes
internal import Hummingbird
internal import MienCore

/// The id by which a request is found again, in its answer and in the log: the client's own, or a
/// new one.
enum RequestIdentity {
    /// A client's id when it is 1 to 64 of `A-Z a-z 0-9 - _ .`, which neither a log nor a terminal
    /// takes for anything else.
    static func given(_ request: Request) -> String? {
        guard let id = request.headers[.requestID], (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({
                $0.isLetterOrDigit
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            })
        else { return nil }
        return id
    }

    /// For requests that never become one.
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
