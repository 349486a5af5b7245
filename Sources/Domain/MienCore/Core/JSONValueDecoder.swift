extension JSONValue {
    /// Decodes a `Body` from the value without writing and parsing JSON text.
    ///
    /// Whole numbers decode as any integer type they fit into. A `JSONValue` within `Body` is
    /// copied unchanged.
    ///
    /// - Throws: `DecodingError` with the path to the fault.
    public func decoded<Body: Decodable>(as type: Body.Type = Body.self) throws -> Body {
        try JSONValueDecoder(self, []).decode(type)
    }
}

/// Decodes from a ``JSONValue``.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, _ codingPath: [any CodingKey]) {
        (self.value, self.codingPath) = (value, codingPath)
    }

    func decode<T: Decodable>(_: T.Type) throws -> T { try T(from: self) }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(Members<Key>(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch([JSONValue].self) }
        return Elements(values: values, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "must not be \(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(Bool.self) }
        return value
    }

    func decode(_: String.Type) throws -> String {
        guard case .string(let value) = value else { throw mismatch(String.self) }
        return value
    }

    func decode(_: Double.Type) throws -> Double {
        guard case .number(let value) = value else { throw mismatch(Double.self) }
        return value
    }

    func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_: Int.Type) throws -> Int { try integer() }
    func decode(_: Int8.Type) throws -> Int8 { try integer() }
    func decode(_: Int16.Type) throws -> Int16 { try integer() }
    func decode(_: Int32.Type) throws -> Int32 { try integer() }
    func decode(_: Int64.Type) throws -> Int64 { try integer() }
    func decode(_: UInt.Type) throws -> UInt { try integer() }
    func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_: UInt64.Type) throws -> UInt64 { try integer() }

    private func integer<Integer: FixedWidthInteger>() throws -> Integer {
        let number = try decode(Double.self)
        guard let integer = Integer(exactly: number) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath,
                    debugDescription: "is not a whole number, or is out of range"))
        }
        return integer
    }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }
    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value.isNull }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { throw unsupported }
    func superDecoder(forKey _: Key) throws -> any Decoder { throw unsupported }

    private var unsupported: DecodingError {
        .dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "decoding classes is not supported"))
    }

    private func member(_ key: Key) throws -> JSONValueDecoder {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "is missing"))
        }
        return JSONValueDecoder(value, codingPath + [key])
    }
}

private struct Elements: UnkeyedDecodingContainer {
    let values: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(values: [JSONValue], codingPath: [any CodingKey]) {
        (self.values, self.codingPath) = (values, codingPath)
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try element().value.isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try taking { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    {
        try taking { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try taking { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try taking { $0 } }

    private mutating func taking<T>(_ body: (JSONValueDecoder) throws -> T) throws -> T {
        let output = try body(element())
        currentIndex += 1
        return output
    }

    private func element() throws -> JSONValueDecoder {
        let path = codingPath + [ArrayIndexKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                .init(codingPath: path, debugDescription: "the list has \(values.count) elements"))
        }
        return JSONValueDecoder(values[currentIndex], path)
    }
}

/// The index of an array element in a coding path.
private struct ArrayIndexKey: CodingKey {
    let intValue: Int?
    var stringValue: String { intValue.map { "Index \($0)" } ?? "" }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue _: String) { nil }
}
