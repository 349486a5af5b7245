internal import MienCore

/// The fields of `application/x-www-form-urlencoded`, in order.
///
/// They hold passwords, secrets and tokens: a value of this type does not print them.
public struct FormFields: Sendable, Hashable {
    public static let mostFields = 64

    /// Why a text is no form.
    public struct Malformed: Error, Hashable {
        /// Names no value.
        public let reason: String
    }

    public let pairs: [Pair]

    public struct Pair: Sendable, Hashable {
        public let name, value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public init(_ pairs: [Pair]) { self.pairs = pairs }

    /// - Throws: ``Malformed`` for more than ``mostFields`` fields, and for what is not percent-encoded UTF-8.
    public init(parsing text: some StringProtocol) throws(Malformed) {
        let parts = text.split(separator: "&", maxSplits: Self.mostFields)
        guard parts.count <= Self.mostFields else { throw Malformed(reason: "there are more than \(Self.mostFields) parameters") }
        var pairs: [Pair] = []
        for part in parts {
            let end = part.firstIndex(of: "=") ?? part.endIndex
            guard let name = PercentEncoding.decodeForm(part[..<end]),
                let value = PercentEncoding.decodeForm(end < part.endIndex ? part[part.index(after: end)...] : "")
            else { throw Malformed(reason: "a parameter is not percent-encoded UTF-8") }
            pairs.append(Pair(name, value))
        }
        self.pairs = pairs
    }

    public var text: String { pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&") }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    public var description: String { "a form of \(pairs.count) fields" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
