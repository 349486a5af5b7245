internal import MienCore

/// An export of the audit log with one JSON object per line. See docs/spec/audit-log.md, “Exported
/// files”.
///
///     {"format":"mien/v1/audit-export","start":{"number":0,"hash":"…"}}
///     {"number":1,"at":1700000000000,"event":"…","actor":"…","user_id":"…","app_id":"…","detail":"{…}","hash":"…"}
///     {"end":{"number":1,"hash":"…"}}
public enum AuditExport {
    public static let format = "mien/v1/audit-export"
    /// The maximum length of a line in bytes.
    public static let maxLineBytes = 1 << 20

    public static func header(_ start: AuditChain) -> String {
        JSONText.write(["format": .string(format), "start": position(start)])
    }
    public static func footer(_ end: AuditChain) -> String {
        JSONText.write(["end": position(end)])
    }

    public static func line(_ entry: AuditChain.Entry, _ position: AuditChain) -> String {
        JSONText.write([
            "number": .number(Double(position.number)), "at": .number(Double(entry.at)),
            "event": .string(entry.event), "actor": .string(entry.actor),
            "user_id": .string(entry.account), "app_id": .string(entry.app),
            "detail": .string(entry.detail),
            "hash": .string(Base64URL.encode(position.hash)),
        ])
    }

    private static func position(_ chain: AuditChain) -> JSONValue {
        ["number": .number(Double(chain.number)), "hash": .string(Base64URL.encode(chain.hash))]
    }

    /// The fault of an exported file.
    public enum Fault: Error, Sendable, Hashable {
        /// The line does not match the format.
        case malformed(line: Int)
        /// The entry does not follow from the previous one.
        case broken(number: Int)
        /// The file ends before its last line.
        case cutShort
    }

    /// Checks a file line by line.
    public struct Verifier: Sendable {
        public private(set) var start: AuditChain?
        public private(set) var end: AuditChain?
        private var position = AuditChain.start
        /// The number of lines read.
        public private(set) var lines = 0

        public init() {}

        /// - Throws: ``Fault``. Stop reading the file after an error.
        public mutating func take(_ text: some Sequence<UInt8>) throws(Fault) {
            lines += 1
            guard end == nil,
                let object =
                    (try? JSONText.parse(
                        Array(text), limits: .init(maxBytes: maxLineBytes, maxDepth: 4)))?
                    .objectValue
            else {
                throw .malformed(line: lines)
            }
            guard start != nil else {
                guard object["format"]?.stringValue == format,
                    let first = Self.position(object["start"])
                else { throw .malformed(line: lines) }
                start = first
                position = first
                return
            }
            if let last = object["end"] {
                guard Self.position(last) == position else {
                    throw .broken(number: Int(position.number) + 1)
                }
                end = position
                return
            }
            guard let entry = Self.entry(object), let at = Self.position(.object(object)) else {
                throw .malformed(line: lines)
            }
            guard let next = position.appending(entry), next == at else {
                throw .broken(number: Int(position.number) + 1)
            }
            position = next
        }

        /// - Returns: the number of entries in the file.
        /// - Throws: ``Fault`` `.cutShort` if the last line is missing.
        public func finish() throws(Fault) -> Int {
            guard let start, let end else { throw .cutShort }
            return Int(end.number - start.number)
        }

        private static func position(_ value: JSONValue?) -> AuditChain? {
            guard let value = value?.objectValue, let number = integer(value["number"]),
                number >= 0,
                let hash = value["hash"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                hash.count == AuditChain.start.hash.count
            else { return nil }
            return AuditChain(number: number, hash: hash)
        }

        private static func entry(_ object: [String: JSONValue]) -> AuditChain.Entry? {
            func text(_ name: String) -> String? { object[name]?.stringValue }
            guard let at = integer(object["at"]), let event = text("event"),
                let actor = text("actor"), let account = text("user_id"),
                let app = text("app_id"), let detail = text("detail")
            else { return nil }
            return AuditChain.Entry(
                at: at, event: event, actor: actor, account: account, app: app, detail: detail)
        }

        private static func integer(_ value: JSONValue?) -> Int64? {
            value?.numberValue.flatMap { Int64(exactly: $0) }
        }
    }
}
