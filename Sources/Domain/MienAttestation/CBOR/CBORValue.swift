/// A CBOR value (RFC 8949).
public indirect enum CBORValue: Sendable, Hashable {
    case unsigned(UInt64)
    /// A negative number as −1 − the number: −1 is `negative(0)`.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// Entries in their original order, without duplicate keys.
    case map([CBOREntry])
    case tagged(UInt64, CBORValue)
    case float(Double)
    /// 20 is false, 21 true, 22 null, 23 undefined; the others are unassigned.
    case simple(UInt8)

    public static let `false` = CBORValue.simple(20), `true` = CBORValue.simple(21),
        null = CBORValue.simple(22)
}

public struct CBOREntry: Sendable, Hashable {
    public let key, value: CBORValue

    public init(_ key: CBORValue, _ value: CBORValue) { (self.key, self.value) = (key, value) }
}

extension CBORValue {
    public init(integer value: Int64) {
        self = value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
    }

    public var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    public var textValue: String? { if case .text(let value) = self { value } else { nil } }
    public var arrayValue: [CBORValue]? { if case .array(let value) = self { value } else { nil } }
    public var entries: [CBOREntry]? { if case .map(let value) = self { value } else { nil } }

    /// The value as a 64-bit integer; `nil` for anything else.
    public var integerValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { ~$0 }
        default: nil
        }
    }

    /// The entry of a map for a text key; `nil` for anything else.
    public subscript(key: String) -> CBORValue? { self[.text(key)] }

    /// The entry of a map for an integer key, as in COSE.
    public subscript(key: Int64) -> CBORValue? { self[CBORValue(integer: key)] }

    public subscript(key: CBORValue) -> CBORValue? { entries?.first { $0.key == key }?.value }
}

extension CBORValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .text(value) }
}
