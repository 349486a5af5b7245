internal import MienDocument

/// A set of the 37 characters, by their indices `0`–`9`, `A`–`Z`, `<`.
struct CharacterMask: OptionSet {
    let rawValue: UInt64

    static let digits = Self(rawValue: (1 << 10) - 1)
    static let letters = Self(rawValue: ((1 << 26) - 1) << 10)
    static let filler = Self(rawValue: 1 << 36)
    static let all: Self = [.digits, .letters, .filler]
    static let lettersOrFiller: Self = [.letters, .filler]
    static let digitsOrFiller: Self = [.digits, .filler]

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ characters: String) {
        rawValue = characters.utf8.reduce(0) { $0 | 1 << Self.index(of: $1) }
    }

    func contains(_ index: Int) -> Bool { rawValue >> index & 1 == 1 }

    static func index(of character: UInt8) -> Int {
        character == UInt8(ascii: "<") ? 36 : MRZCheckDigit.value(of: character) ?? 36
    }

    static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<".utf8)
}

/// The characters that each place of a format may have, and the chains that check digits tie
/// together.
///
/// Source: ICAO Doc 9303 parts 4–7. Layouts are given again, beside `MRZLayout`, in the form that
/// decoding needs; tests compare them.
struct ZoneGrammar {
    struct Place: Hashable {
        var line, column: Int
    }

    /// The part of a chain's character in the sums.
    enum Role {
        /// A character with its weights in its field's sum and in the composite's.
        case field(Int, composite: Int)
        /// The check digit of the characters since the previous one, with its weight in the
        /// composite's sum.
        case checkDigit(composite: Int)
        case compositeDigit
    }

    struct Slot {
        var place: Place
        var mask: CharacterMask
        var role: Role
    }

    let format: MRZFormat
    /// Whether the document's number continues in the optional data.
    var isLong = false
    /// Where a long number has a filler instead of its check digit.
    var longNumberFiller: Place {
        format == .td1 ? Place(line: 0, column: 14) : Place(line: 1, column: 9)
    }
    var chains: [[Slot]] = []
    /// Places outside of chains and names.
    var free: [(place: Place, mask: CharacterMask)] = []
    var name: (line: Int, columns: Range<Int>)
    /// Where codes of three letters begin.
    var codes: [Place] = []

    private static let weights = [7, 3, 1]
    private static let date: [CharacterMask] = [
        .digitsOrFiller, .digitsOrFiller, CharacterMask("01<"), .digitsOrFiller,
        CharacterMask("0123<"), .digitsOrFiller,
    ]
    private static let all9 = [CharacterMask](repeating: .all, count: 9)

    /// The grammars of zones with lines of a length.
    static func all(lineLength: Int) -> [ZoneGrammar] {
        switch lineLength {
        case 44: [ZoneGrammar(.td3), ZoneGrammar(.visaA)]
        case 36:
            [ZoneGrammar(.td2), ZoneGrammar(.visaB), ZoneGrammar(french: ())]
                + (1...5).flatMap {
                    [ZoneGrammar(td2: $0), ZoneGrammar(td2: $0, countingFiller: false)]
                }
        default:
            [ZoneGrammar(td1: 0)]
                + (1...6).flatMap {
                    [ZoneGrammar(td1: $0), ZoneGrammar(td1: $0, countingFiller: false)]
                }
        }
    }

    /// Builds one chain, with running weights.
    private struct Chain {
        var slots: [Slot] = []
        var fieldIndex = 0, compositeIndex = 0
        let hasComposite: Bool

        private mutating func composite() -> Int {
            defer { compositeIndex += 1 }
            return hasComposite ? ZoneGrammar.weights[compositeIndex % 3] : 0
        }

        mutating func field(
            _ line: Int, _ start: Int, _ masks: [CharacterMask], continuing: Bool = false
        ) {
            if !continuing { fieldIndex = 0 }
            for (i, mask) in masks.enumerated() {
                let weight = ZoneGrammar.weights[fieldIndex % 3]
                slots.append(
                    Slot(
                        place: Place(line: line, column: start + i), mask: mask,
                        role: .field(weight, composite: composite())))
                fieldIndex += 1
            }
        }

        mutating func digit(_ line: Int, _ column: Int, _ mask: CharacterMask) {
            slots.append(
                Slot(
                    place: Place(line: line, column: column), mask: mask,
                    role: .checkDigit(composite: composite())))
        }

        /// Characters that only the composite covers.
        mutating func others(_ line: Int, _ start: Int, _ masks: [CharacterMask]) {
            for (i, mask) in masks.enumerated() {
                slots.append(
                    Slot(
                        place: Place(line: line, column: start + i), mask: mask,
                        role: .field(0, composite: composite())))
            }
        }

        mutating func compositeDigit(_ line: Int, _ column: Int) {
            slots.append(
                Slot(
                    place: Place(line: line, column: column), mask: .digits, role: .compositeDigit))
        }
    }

    private init(_ format: MRZFormat) {
        self.format = format
        let length = format.lineLength, isVisa = format == .visaA || format == .visaB
        name = (0, 5..<length)
        codes = [Place(line: 0, column: 2), Place(line: 1, column: 10)]
        let first: CharacterMask =
            format == .td3
            ? CharacterMask("P") : isVisa ? CharacterMask("V") : CharacterMask("ICAP")
        free = (0..<3).map { (Place(line: 1, column: 10 + $0), .lettersOrFiller) }
        free += [
            (Place(line: 1, column: 20), CharacterMask("MFX<")), (Place(line: 0, column: 0), first),
            (Place(line: 0, column: 1), .lettersOrFiller), (Place(line: 0, column: 2), .letters),
            (Place(line: 0, column: 3), .lettersOrFiller),
            (Place(line: 0, column: 4), .lettersOrFiller),
        ]
        if isVisa {
            for (start, masks, digit) in [
                (0, Self.all9, 9), (13, Self.date, 19), (21, Self.date, 27),
            ] {
                var chain = Chain(hasComposite: false)
                chain.field(1, start, masks)
                chain.digit(1, digit, digit == 19 ? .digitsOrFiller : .digits)
                chains.append(chain.slots)
            }
            free += (28..<length).map { (Place(line: 1, column: $0), .all) }
            return
        }
        var chain = Chain(hasComposite: true)
        chain.field(1, 0, Self.all9)
        chain.digit(1, 9, .digits)
        chain.field(1, 13, Self.date)
        chain.digit(1, 19, .digitsOrFiller)
        chain.field(1, 21, Self.date)
        chain.digit(1, 27, .digits)
        if format == .td3 {
            chain.field(1, 28, [CharacterMask](repeating: .all, count: 14))
            chain.digit(1, 42, .digitsOrFiller)
            chain.compositeDigit(1, 43)
        } else {
            chain.others(1, 28, [CharacterMask](repeating: .all, count: 7))
            chain.compositeDigit(1, 35)
        }
        chains = [chain.slots]
    }

    /// - Parameter continued: The number of characters by which the document's number continues.
    private init(td1 continued: Int, countingFiller: Bool = true) {
        format = .td1
        isLong = continued > 0
        name = (2, 0..<30)
        codes = [Place(line: 0, column: 2), Place(line: 1, column: 15)]
        var chain = Chain(hasComposite: true)
        chain.field(0, 5, Self.all9)
        if continued == 0 {
            chain.digit(0, 14, .digits)
            chain.others(0, 15, [CharacterMask](repeating: .all, count: 15))
        } else {
            if countingFiller {
                chain.field(0, 14, [.filler], continuing: true)
            } else {
                chain.others(0, 14, [.filler])
            }
            chain.field(
                0, 15,
                [CharacterMask](repeating: [.digits, .letters], count: continued), continuing: true)
            chain.digit(0, 15 + continued, .digits)
            chain.others(
                0, 16 + continued,
                [.filler] + [CharacterMask](repeating: .all, count: 13 - continued))
        }
        chain.field(1, 0, Self.date)
        chain.digit(1, 6, .digitsOrFiller)
        chain.field(1, 8, Self.date)
        chain.digit(1, 14, .digits)
        chain.others(1, 18, [CharacterMask](repeating: .all, count: 11))
        chain.compositeDigit(1, 29)
        chains = [chain.slots]
        free = [(Place(line: 1, column: 7), CharacterMask("MFX<"))]
        free += (15..<18).map { (Place(line: 1, column: $0), .lettersOrFiller) }
        free += [
            (Place(line: 0, column: 0), CharacterMask("IAC")), (Place(line: 0, column: 1), .all),
            (Place(line: 0, column: 2), .letters), (Place(line: 0, column: 3), .lettersOrFiller),
            (Place(line: 0, column: 4), .lettersOrFiller),
        ]
    }

    /// A TD2 card whose number continues in the optional data.
    private init(td2 continued: Int, countingFiller: Bool = true) {
        self.init(.td2)
        isLong = true
        var chain = Chain(hasComposite: true)
        chain.field(1, 0, Self.all9)
        if countingFiller {
            chain.field(1, 9, [.filler], continuing: true)
        } else {
            chain.others(1, 9, [.filler])
        }
        // The rest of the number is in line with its beginning for its own digit, and after the
        // dates for the composite's.
        let tail = [CharacterMask](repeating: [.digits, .letters], count: continued)
        chain.compositeIndex = 24
        chain.field(1, 28, tail, continuing: true)
        chain.digit(1, 28 + continued, .digits)
        chain.others(
            1, 29 + continued,
            [CharacterMask](repeating: .all, count: 6 - continued).enumerated().map {
                $0.offset == 0 ? .filler : $0.element
            })
        chain.compositeIndex = 10
        chain.field(1, 13, Self.date)
        chain.digit(1, 19, .digitsOrFiller)
        chain.field(1, 21, Self.date)
        chain.digit(1, 27, .digits)
        chain.compositeDigit(1, 35)
        chains = [chain.slots]
    }

    private init(french _: Void) {
        format = .frenchCard
        name = (0, 5..<30)
        codes = [Place(line: 0, column: 2)]
        for (start, masks, digit) in [
            (0, [CharacterMask](repeating: [.digits, .letters], count: 12), 12),
            (27, Self.date, 33),
        ] {
            var chain = Chain(hasComposite: false)
            chain.field(1, start, masks)
            chain.digit(1, digit, .digits)
            chains.append(chain.slots)
        }
        for (column, letter) in "IDFRA".enumerated() {
            free.append((Place(line: 0, column: column), CharacterMask(String(letter))))
        }
        free += [
            (Place(line: 1, column: 34), CharacterMask("MF")),
            (Place(line: 1, column: 35), .digits),
        ]
        free += (30..<36).map { (Place(line: 0, column: $0), .all) }
        free += (13..<27).map { (Place(line: 1, column: $0), .lettersOrFiller) }
    }
}
