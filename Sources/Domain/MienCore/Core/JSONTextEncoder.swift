extension JSONText {
    /// Writes a value as JSON text, with the members of objects in the order in which the value
    /// encodes them, and those of dictionaries sorted by name.
    ///
    /// Writes the text while the value encodes itself, without a tree in between. The result means
    /// the same as that of Foundation's `JSONEncoder`, except that types to which that gives a form
    /// of their own (`Data`, `Date`, `URL`, `Decimal`) encode themselves here.
    ///
    /// - Throws: `EncodingError`, without a path, for a number that JSON cannot express, and for a
    ///   value that writes to one of its containers after it began the next one.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let shared = JSONShared()
        try shared.write(value, depth: 0)
        return shared.output.bytes
    }
}

/// The text so far, and the lists and objects that are open in it.
private struct JSONOutput {
    var bytes: [UInt8] = []
    /// For each open list or object, its last byte, a number that no other has, and whether it is
    /// still empty.
    private var open: [(end: UInt8, number: Int, isEmpty: Bool)] = []
    private var begun = 0

    init() { bytes.reserveCapacity(512) }

    /// - Returns: The number of the list or object.
    mutating func begin(_ start: Unicode.Scalar, _ end: Unicode.Scalar, at depth: Int) -> Int {
        close(to: depth)
        bytes.append(UInt8(ascii: start))
        begun += 1
        open.append((UInt8(ascii: end), begun, true))
        return begun
    }

    /// Closes everything inside of the list or object at `depth`.
    mutating func close(to depth: Int) {
        while open.count > depth { bytes.append(open.removeLast().end) }
    }

    /// Ends a value. One that has written nothing is an empty object.
    mutating func end(since count: Int, depth: Int) {
        if bytes.count == count { _ = begin("{", "}", at: depth) }
        close(to: depth)
    }

    /// Begins an element of a list or object.
    mutating func beginElement(_ depth: Int, _ number: Int) throws {
        close(to: depth)
        let last = open.count - 1
        guard open.count == depth, open[last].number == number else {
            throw EncodingError.invalidValue(
                depth, .init(codingPath: [], debugDescription: "this container has ended"))
        }
        if open[last].isEmpty {
            open[last].isEmpty = false
        } else {
            bytes.append(UInt8(ascii: ","))
        }
    }

    mutating func beginMember(_ key: String, _ depth: Int, _ number: Int) throws {
        try beginElement(depth, number)
        JSONText.quote(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func quote(_ text: String) { JSONText.quote(text, to: &bytes) }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func append(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no such number"))
        }
        append(JSONText.number(value))
    }
}

/// State that the containers of one call share.
private final class JSONShared {
    var output = JSONOutput()

    func write<Value: Encodable>(_ value: Value, depth: Int) throws {
        // Comparing types is cheaper than casting.
        if Value.self == JSONValue.self {
            (value as! JSONValue).write(to: &output.bytes)
        } else if Value.self == String.self {
            output.quote(value as! String)
        } else if Value.self == [String: JSONValue].self {
            JSONValue.object(value as! [String: JSONValue]).write(to: &output.bytes)
        } else if let members = value as? any JSONMembers {
            try members.write(to: self, depth: depth)
        } else {
            let before = output.bytes.count
            try value.encode(to: JSONTextEncoder(shared: self, depth: depth))
            output.end(since: before, depth: depth)
        }
    }

    fileprivate func write<Member: Encodable>(members: [String: Member], depth: Int) throws {
        let place = JSONPlace("{", "}", in: JSONTextEncoder(shared: self, depth: depth))
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            try output.beginMember(key, place.depth, place.number)
            try write(member, depth: place.depth)
        }
        output.close(to: depth)
    }
}

/// A dictionary with names as keys, which would encode itself in a different order each time.
private protocol JSONMembers {
    func write(to shared: JSONShared, depth: Int) throws
}

extension Dictionary: JSONMembers where Key == String, Value: Encodable {
    fileprivate func write(to shared: JSONShared, depth: Int) throws {
        try shared.write(members: self, depth: depth)
    }
}

/// A list or object in the text.
private struct JSONPlace {
    let shared: JSONShared
    /// The number of lists and objects that are open while it is the innermost.
    let depth: Int
    let number: Int

    init(_ start: Unicode.Scalar, _ end: Unicode.Scalar, in encoder: JSONTextEncoder) {
        shared = encoder.shared
        depth = encoder.depth + 1
        number = shared.output.begin(start, end, at: encoder.depth)
    }

    func value() throws -> JSONTextEncoder {
        try shared.output.beginElement(depth, number)
        return JSONTextEncoder(shared: shared, depth: depth)
    }

    func value(of key: some CodingKey) throws -> JSONTextEncoder {
        try shared.output.beginMember(key.stringValue, depth, number)
        return JSONTextEncoder(shared: shared, depth: depth)
    }
}

private struct JSONTextEncoder: Encoder {
    let shared: JSONShared
    /// The number of lists and objects around the value.
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(place: JSONPlace("{", "}", in: self)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(place: JSONPlace("[", "]", in: self))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONTextEncoder: SingleValueEncodingContainer {
    func encodeNil() { shared.output.append("null") }
    func encode(_ value: Bool) { shared.output.append(value ? "true" : "false") }
    func encode(_ value: String) { shared.output.quote(value) }
    func encode(_ value: Double) throws { try shared.output.append(value) }
    func encode(_ value: Float) throws {
        guard value.isFinite else { return try encode(Double(value)) }
        shared.output.append(value == value.rounded() ? JSONText.number(Double(value)) : "\(value)")
    }
    func encode(_ value: Int) { shared.output.append(String(value)) }
    func encode(_ value: Int8) { shared.output.append(String(value)) }
    func encode(_ value: Int16) { shared.output.append(String(value)) }
    func encode(_ value: Int32) { shared.output.append(String(value)) }
    func encode(_ value: Int64) { shared.output.append(String(value)) }
    func encode(_ value: UInt) { shared.output.append(String(value)) }
    func encode(_ value: UInt8) { shared.output.append(String(value)) }
    func encode(_ value: UInt16) { shared.output.append(String(value)) }
    func encode(_ value: UInt32) { shared.output.append(String(value)) }
    func encode(_ value: UInt64) { shared.output.append(String(value)) }
    func encode(_ value: some Encodable) throws {
        try shared.write(value, depth: depth)
    }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: JSONPlace
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try place.value(of: key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: String, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Double, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Float, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Int, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Int8, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Int16, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Int32, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: UInt8, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: UInt16, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: UInt32, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: UInt64, forKey key: Key) throws { try place.value(of: key).encode(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        try place.value(of: key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
        -> KeyedEncodingContainer<Nested>
    { nested(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested(SuperKey()) }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    /// The protocol does not let these functions throw. Only a container that was kept after its end
    /// fails here, which no type of ours does.
    private func nested(_ key: some CodingKey) -> JSONTextEncoder {
        guard let member = try? place.value(of: key) else { fatalError("this container has ended") }
        return member
    }
}

/// The key of `superEncoder()`.
private struct SuperKey: CodingKey {
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
    var stringValue: String { "super" }
    var intValue: Int? { nil }
}

/// The elements of a list.
private struct Elements: UnkeyedEncodingContainer {
    let place: JSONPlace
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(place: JSONPlace) { self.place = place }

    private mutating func element() throws -> JSONTextEncoder {
        count += 1
        return try place.value()
    }

    mutating func encodeNil() throws { try element().encodeNil() }
    mutating func encode(_ value: some Encodable) throws {
        try element().encode(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
        -> KeyedEncodingContainer<Nested>
    { nested().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nested().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested() }

    private mutating func nested() -> JSONTextEncoder {
        guard let element = try? element() else { fatalError("this container has ended") }
        return element
    }
}

// MARK: Texts and values

extension JSONValue {
    /// Writes JSON with members sorted by name: the same value is the same text each time, and what
    /// is drawn from it has the same order.
    fileprivate func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): bytes.append(contentsOf: JSONText.number(value).utf8)
        case .string(let value): JSONText.quote(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                JSONText.quote(key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONText {
    fileprivate static func quote(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            let isPlain = unsafe utf8.allSatisfy {
                $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            if isPlain { unsafe bytes.append(contentsOf: utf8) }
            return isPlain
        }
        for byte in isPlain ? "".utf8 : text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case ..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: (byte < 16 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: digits.utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
