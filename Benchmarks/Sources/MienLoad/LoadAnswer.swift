/// A server's response.
public struct LoadAnswer: Sendable {
    public let status: Int
    public let body: [UInt8]

    /// Finds a string member without escapes by searching for its name, because a parser would
    /// take longer than the server.
    ///
    /// - Parameter start: the start of the value, to distinguish members with the same name.
    public func text(_ name: String, startingWith start: String = "") -> String? {
        let mark = Array("\"\(name)\":\"".utf8), begin = Array(start.utf8)
        var index = 0
        while index + mark.count <= body.count {
            if body[index] == mark[0], body[index..<(index + mark.count)].elementsEqual(mark),
                body[(index + mark.count)...].starts(with: begin)
            {
                let value = body[(index + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }
                return String(decoding: value, as: UTF8.self)
            }
            index += 1
        }
        return nil
    }

    /// Returns the first text of a member that is an array of texts, or nil.
    public func first(_ name: String) -> String? {
        let mark = "\"\(name)\":[\""
        guard let found = bodyText.firstRange(of: mark) else { return nil }
        return String(bodyText[found.upperBound...].prefix { $0 != "\"" })
    }

    public var bodyText: String { String(decoding: body, as: UTF8.self) }
}
