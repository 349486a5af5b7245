/// The characters beyond ASCII in a registry's file whose encoding was stated. People see from them
/// whether it is another one: `£` in place of `Ł`.
public struct RegistryLetters: Sendable, Hashable {
    /// The number of rows that have some.
    public private(set) var rows = 0
    public private(set) var all: Set<Unicode.Scalar> = []

    public init() {}

    /// The characters in order, with a space between.
    public var text: String { all.sorted().map { String($0) }.joined(separator: " ") }

    mutating func note(_ fields: [String]) {
        let found = fields.flatMap(\.unicodeScalars).filter { !$0.isASCII }
        guard !found.isEmpty else { return }
        rows += 1
        all.formUnion(found)
    }
}
