internal import MienCore

/// The audit log in a file, one JSON object a line: docs/spec/audit-log.md, “Exported files”.
///
///     {"format":"mien/v1/audit-export","start":{"number":0,"hash":"…"}}
///     {"number":1,"at":1700000000000,"event":"…","actor":"…","user_id":"…","app_id":"…","detail":"{…}","hash":"…"}
///     {"end":{"number":1,"hash":"…"}}
public enum AuditExport {
    public static let format = "mien/v1/audit-export"
    /// A line has at most as many bytes.
    public static let maxLineBytes = 1 << 20

    public static func header(_ start: AuditChain) -> String {
        JSONText.write(["format": .string(format), "start": place(start)])
    }
    public static func footer(_ end: AuditChain) -> String { JSONText.write(["end": place(end)]) }

    public static func line(_ entry: AuditChain.Entry, _ place: AuditChain) -> String {
        JSONText.write([
            "number": .number(Double(place.number)), "at": .number(Double(entry.at)),
            "event": .string(entry.event), "actor": .string(entry.actor),
            "user_id": .string(entry.account), "app_id": .string(entry.app),
            "detail": .string(entry.detail),
            "hash": .string(Base64URL.encode(place.hash)),
        ])
    }

    private static func place(_ chain: AuditChain) -> JSONValue {
        ["number": .number(Double(chain.number)), "hash": .string(Base64URL.encode(chain.hash))]
    }

    /// What is wrong with an exported file.
    public enum Fault: Error, Sendable, Hashable {
        /// The line is not what the format has there.
        case malformed(line: Int)
        /// The entry does not follow from the one before it.
        case broken(number: Int)
        /// The file ends before its last line.
        case cutShort
    }

    /// Checks a file line by line.
    public struct Verifier: Sendable {
        public private(set) var start: AuditChain?
        public private(set) var end: AuditChain?
        private var place = AuditChain.start
        /// Lines taken.
        public private(set) var lines = 0

        public init() {}

        /// - Throws: ``Fault``, after which the file is not to be read on.
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
                    let first = Self.place(object["start"])
                else { throw .malformed(line: lines) }
                start = first
                place = first
                return
            }
            if let last = object["end"] {
                guard Self.place(last) == place else {
                    throw .broken(number: Int(place.number) + 1)
                }
                end = place
                return
            }
            guard let entry = Self.entry(object), let at = Self.place(.object(object)) else {
                throw .malformed(line: lines)
            }
            guard let next = place.appending(entry), next == at else {
                throw .broken(number: Int(place.number) + 1)
            }
            place = next
        }

        /// - Returns: how many entries the file has.
        /// - Throws: ``Fault`` `.cutShort` when the last line is missing.
        public func finish() throws(Fault) -> Int {
            guard let start, let end else { throw .cutShort }
            return Int(end.number - start.number)
        }

        private static func place(_ value: JSONValue?) -> AuditChain? {
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
