/// A person's name as a machine-readable zone writes it: in A–Z, without accents, and shortened
/// when it is too long.
public struct MRZName: Sendable, Hashable {
    /// The words of the primary identifier, mostly the family name.
    public let primary: [String]
    /// The words of the secondary identifier, mostly the given names.
    public let secondary: [String]
    /// Whether the name fills its field, so that its end may be missing.
    public let mayBeTruncated: Bool

    /// Reads a field that has both parts with two fillers between them.
    init(_ field: some Collection<UInt8>) {
        let bytes = Array(field), filler = UInt8(ascii: "<")
        let split = bytes.indices.dropLast().first {
            bytes[$0] == filler && bytes[$0 + 1] == filler
        }
        primary = Self.words(bytes[..<(split ?? bytes.endIndex)])
        secondary = split.map { Self.words(bytes[$0...]) } ?? []
        mayBeTruncated = bytes.last != filler
    }

    /// Reads two fields, one for each part.
    init(primary: some Collection<UInt8>, secondary: some Collection<UInt8>) {
        self.primary = Self.words(primary)
        self.secondary = Self.words(secondary)
        mayBeTruncated =
            Array(primary).last != UInt8(ascii: "<") || Array(secondary).last != UInt8(ascii: "<")
    }

    private static func words(_ bytes: some Collection<UInt8>) -> [String] {
        bytes.split(separator: UInt8(ascii: "<")).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension MRZName: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹name›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
