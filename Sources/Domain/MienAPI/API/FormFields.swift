internal import MienCore

/// The fields of an `application/x-www-form-urlencoded` body, in order.
///
/// Printing a value does not reveal the fields, because they contain passwords, secrets, and
/// tokens.
public struct FormFields: Sendable, Hashable {
    public static let maxFields = 64
    /// The maximum length of a decoded name in UTF-8 bytes.
    public static let maxNameBytes = 128

    /// The reason a text is not a valid form.
    public struct Malformed: Error, Hashable {
        /// Contains no field value.
        public let reason: String
    }

    public let pairs: [Pair]

    public struct Pair: Sendable, Hashable {
        public let name, value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public init(_ pairs: [Pair]) { self.pairs = pairs }

    /// Parses bytes, not characters: a combining mark after `&` or `=` is the start of a name or
    /// value.
    ///
    /// - Throws: ``Malformed`` for more than ``maxFields`` fields, a name of more than
    ///   ``maxNameBytes`` bytes, a part that is not percent-encoded UTF-8, and text that is not
    ///   stream-safe (``StreamSafeText``).
    public init(parsing text: some StringProtocol) throws(Malformed) {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "&"), maxSplits: Self.maxFields)
        guard parts.count <= Self.maxFields else {
            throw Malformed(reason: "there are more than \(Self.maxFields) parameters")
        }
        var pairs: [Pair] = []
        for part in parts {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            // A percent-encoded byte takes up to three.
            guard end - part.startIndex <= 3 * Self.maxNameBytes else { throw Self.longName }
            guard let name = PercentEncoding.decodeForm(part[..<end]),
                let value = PercentEncoding.decodeForm(part[end...].dropFirst())
            else {
                throw Malformed(
                    reason:
                        "a parameter is not percent-encoded UTF-8, or has too many combining marks in a row"
                )
            }
            guard name.utf8.count <= Self.maxNameBytes else { throw Self.longName }
            pairs.append(Pair(name, value))
        }
        self.pairs = pairs
    }

    private static let longName = Malformed(
        reason: "a parameter name has more than \(maxNameBytes) bytes")

    public var text: String {
        pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    public var description: String { "a form of \(pairs.count) fields" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
