/// The size and layout of a machine-readable zone.
///
/// Source: ICAO Doc 9303 parts 4 (TD3), 5 (TD1), 6 (TD2), and 7 (visas).
public enum MRZFormat: String, Sendable, CaseIterable {
    /// Identity cards of the size of a bank card: three lines of 30.
    case td1 = "TD1"
    /// Larger identity cards: two lines of 36.
    case td2 = "TD2"
    /// Passports: two lines of 44.
    case td3 = "TD3"
    /// Visas of the size of a passport page: two lines of 44.
    case visaA = "MRV-A"
    /// Smaller visas: two lines of 36.
    case visaB = "MRV-B"
    /// France's identity cards of 1994–2021: two lines of 36 in a national layout.
    case frenchCard = "FR-ID"

    public var lineCount: Int { self == .td1 ? 3 : 2 }

    /// The number of characters in a line.
    public var lineLength: Int {
        switch self {
        case .td1: 30
        case .td2, .visaB, .frenchCard: 36
        case .td3, .visaA: 44
        }
    }

    /// The format of lines of the given number and length whose first characters are `start`.
    static func of(lines: Int, length: Int, start: some Sequence<UInt8>) throws(DocumentError)
        -> Self
    {
        let first = Array(start.prefix(5)), letter = first.first ?? 0
        let isVisa = letter == UInt8(ascii: "V")
        let format: Self
        switch (lines, length) {
        case (3, 30): format = .td1
        case (2, 36): format = isVisa ? .visaB : first == Array("IDFRA".utf8) ? .frenchCard : .td2
        case (2, 44): format = isVisa ? .visaA : .td3
        default:
            throw DocumentError(
                .zoneSize,
                "a machine-readable zone has 3 lines of 30 characters, 2 of 36, or 2 of 44; this text has \(lines) with \(length) in the first"
            )
        }
        guard format.documentLetters.utf8.contains(letter) else {
            throw DocumentError(
                .zoneType,
                "a zone of \(lines) lines of \(length) characters must begin with one of \(format.documentLetters)"
            )
        }
        return format
    }

    /// The first characters that documents of the format may have.
    var documentLetters: String {
        switch self {
        // P also occurs: passport cards.
        case .td1: "IACP"
        case .td2: "IACP"
        case .td3: "P"
        case .visaA, .visaB: "V"
        case .frenchCard: "I"
        }
    }
}
