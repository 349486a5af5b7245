internal import Foundation
internal import MienCore

/// Values kept as JSON in a column.
enum JSONColumn {
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own values; one that cannot be written is a bug.
        return try! Array(encoder.encode(value))
    }

    static func text(_ value: some Encodable) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(_: Value.Type, _ bytes: some Sequence<UInt8>)
        throws(StoreError) -> Value
    {
        do { return try JSONDecoder().decode(Value.self, from: Data(bytes)) } catch {
            throw StoreError(.corrupt, "a stored \(Value.self) cannot be understood")
        }
    }
}

extension SQLRow {
    func identifier<Kind>(_ index: Int, _: Identifier<Kind>.Type = Identifier<Kind>.self)
        throws(StoreError) -> Identifier<Kind>
    {
        guard let id = Identifier<Kind>(try text(index)) else {
            throw StoreError(.corrupt, "column \(index) of a row holds no identifier")
        }
        return id
    }

    /// Empty stands for none: a column that is part of a key cannot be null everywhere.
    func optionalIdentifier<Kind>(_ index: Int) throws(StoreError) -> Identifier<Kind>? {
        try text(index).isEmpty ? nil : try identifier(index)
    }

    func instant(_ index: Int) throws(StoreError) -> Instant {
        Instant(milliseconds: try integer(index))
    }
    func optionalInstant(_ index: Int) throws(StoreError) -> Instant? {
        try optionalInteger(index).map { Instant(milliseconds: $0) }
    }

    /// A word of a closed set: an unknown one is an error, never a default.
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
