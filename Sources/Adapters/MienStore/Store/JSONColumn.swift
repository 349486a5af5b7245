internal import Foundation
internal import MienCore

/// Encodes values as JSON for a column.
enum JSONColumn {
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only our own types are encoded here, so a failure is a bug.
        return try! Array(encoder.encode(value))
    }

    static func text(_ value: some Encodable) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(_: Value.Type, _ bytes: some Sequence<UInt8>)
        throws(StoreError) -> Value
    {
        do { return try JSONDecoder().decode(Value.self, from: Data(bytes)) } catch {
            throw StoreError(.corrupt, "a stored \(Value.self) cannot be decoded")
        }
    }
}

extension SQLRow {
    func identifier<Kind>(_ index: Int, _: Identifier<Kind>.Type = Identifier<Kind>.self)
        throws(StoreError) -> Identifier<Kind>
    {
        guard let id = Identifier<Kind>(try text(index)) else {
            throw StoreError(.corrupt, "column \(index) of a row does not hold an identifier")
        }
        return id
    }

    /// Reads an identifier; an empty string means `nil`, because not every database allows null in
    /// a key column.
    func optionalIdentifier<Kind>(_ index: Int) throws(StoreError) -> Identifier<Kind>? {
        guard let text = try optionalText(index), !text.isEmpty else { return nil }
        return try identifier(index)
    }

    func instant(_ index: Int) throws(StoreError) -> Instant {
        Instant(milliseconds: try integer(index))
    }
    func optionalInstant(_ index: Int) throws(StoreError) -> Instant? {
        try optionalInteger(index).map { Instant(milliseconds: $0) }
    }

    /// Reads a word of a closed set. An unknown word is an error, never a default.
    func word<Word: RawRepresentable<String>>(_ index: Int, _: Word.Type = Word.self)
        throws(StoreError) -> Word
    {
        guard let word = Word(rawValue: try text(index)) else {
            throw StoreError(.corrupt, "column \(index) of a row holds an unknown word")
        }
        return word
    }
}

extension SQLValue {
    static func id<Kind>(_ id: Identifier<Kind>) -> SQLValue { .text(id.text) }
    static func id<Kind>(_ id: Identifier<Kind>?) -> SQLValue { .text(id?.text ?? "") }
    static func time(_ time: Instant) -> SQLValue { .integer(time.milliseconds) }
    static func time(_ time: Instant?) -> SQLValue {
        time.map { .integer($0.milliseconds) } ?? .null
    }
    static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}
