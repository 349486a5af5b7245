internal import MienDocument

/// A state or organization that issues documents with a machine-readable zone: its ISO 3166-1 alpha-2
/// code, such as `DE`, or the code of an organization in the zone, such as `XOM`.
///
/// Documents are read from more issuers than there are countries whose addresses are compared, which
/// ``Country`` lists.
public struct DocumentIssuer: RawRepresentable, Sendable, Hashable, Comparable, Codable {
    public let rawValue: String

    /// Also reads a code as a zone writes it: `D` and `DEU` are `DE`, `GBD` is `GB`, `UNO` is `UN`. A
    /// territory is read as the state that issues its documents: `HK` is `CN`, `JE` is `GB`.
    ///
    /// - Returns: `nil` unless ``all`` contains the issuer.
    public init?(rawValue text: String) {
        let text = text.uppercased()
        if Self.codes.contains(text) {
            rawValue = text
            return
        }
        if let state = IssuerCode.state(ofTerritory: text) {
            rawValue = state
            return
        }
        guard (1...3).contains(text.utf8.count) else { return nil }
        let padded = text + String(repeating: "<", count: 3 - text.utf8.count)
        guard let code = IssuerCode(padded).issuer else { return nil }
        rawValue = code
    }

    private init(known: String) { rawValue = known }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// All issuers of ICAO Doc 9303 part 3, sorted.
    public static let all: [DocumentIssuer] = codes.sorted().map(Self.init(known:))

    /// Whether this is a country, and not an organization. `UN` and `EU` are reserved for theirs.
    public var isCountry: Bool { rawValue.utf8.count == 2 && rawValue != "UN" && rawValue != "EU" }

    private static let codes = Set(IssuerCode.known.compactMap { IssuerCode($0).issuer })
}
