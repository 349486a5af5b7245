internal import MienDocument

/// The most probable zone of a format with right check digits, what it costs, and how far the next
/// best is.
///
/// Scores are logarithms of probabilities.
struct DecodedZone {
    let grammar: ZoneGrammar
    /// With right check digits.
    private(set) var repaired: [[UInt8]]
    /// As printed: masks apply only where they cost little.
    private(set) var printed: [[UInt8]] = []
    private(set) var score: Float = 0
    /// The score of the most probable characters, without any rule.
    private(set) var unruledScore: Float = 0
    /// The cost of right check digits.
    private(set) var repairCost: Float = 0
    private(set) var checkMargin: Float = 99
    private(set) var nameMargin: Float = 99
    private(set) var freeMargin: Float = 99
    private(set) var printedMargin: Float = 99
    /// The most that a mask outside of chains costs.
    private(set) var maskCost: Float = 0

    private static let letterO = 24, letterI = 18

    init(_ grammar: ZoneGrammar, _ cells: [[[Float]]]) {
        self.grammar = grammar
        var cells = cells
        let length = grammar.format.lineLength, lines = grammar.format.lineCount
        // Checked fields rarely have the letters O and I.
        for slot in grammar.chains.joined() {
            if case .field = slot.role, slot.mask.contains(Self.letterO) {
                cells[slot.place.line][slot.place.column][Self.letterO] -= 2.5
                cells[slot.place.line][slot.place.column][Self.letterI] -= 1
            }
        }
        var indices = [[Int]](repeating: [Int](repeating: -1, count: length), count: lines)
        var margins = [[Float]](repeating: [Float](repeating: 99, count: length), count: lines)
        var masks: [ZoneGrammar.Place: CharacterMask] = [:]
        repaired = []
        for chain in grammar.chains {
            let solved = CheckedChain(chain, chain.map { cells[$0.place.line][$0.place.column] })
            for (k, slot) in chain.enumerated() {
                indices[slot.place.line][slot.place.column] = solved.characters[k]
                margins[slot.place.line][slot.place.column] = solved.margins[k]
                masks[slot.place] = slot.mask
            }
            score += solved.score
            repairCost += solved.freeScore - solved.score
            checkMargin = min(checkMargin, solved.margins.min() ?? 99)
        }
        for (place, mask) in grammar.free where masks[place] == nil {
            let cell = cells[place.line][place.column], top = Self.best(cell, mask)
            indices[place.line][place.column] = top.index
            margins[place.line][place.column] = min(top.margin, 30)
            score += top.score
            masks[place] = mask
            maskCost = max(maskCost, (cell.max() ?? 0) - top.score)
        }
        let name = NameAutomaton(
            Array(cells[grammar.name.line][grammar.name.columns]),
            mayBeEmpty: grammar.format == .frenchCard)
        for (k, column) in grammar.name.columns.enumerated() {
            indices[grammar.name.line][column] = name.characters[k]
            margins[grammar.name.line][column] = name.margins[k]
        }
        score += name.score
        nameMargin = name.margins.min() ?? 99
        for place in grammar.codes { decodeCode(place, cells, &indices, &margins) }
        freeMargin = grammar.free.reduce(99) { min($0, margins[$1.place.line][$1.place.column]) }
        unruledScore = cells.reduce(0) { $0 + $1.reduce(0) { $0 + ($1.max() ?? 0) } }
        repaired = indices.map { $0.map { CharacterMask.characters[max($0, 0)] } }
        readPrinted(cells, masks)
    }

    private static func best(_ cell: [Float], _ mask: CharacterMask) -> (
        index: Int, score: Float, margin: Float
    ) {
        var top = 0, first = -Float.infinity, second = first
        for c in 0..<37 {
            let value = mask.contains(c) ? cell[c] : CheckedChain.impossible
            if value > first {
                (top, second, first) = (c, first, value)
            } else if value > second {
                second = value
            }
        }
        return (top, first, first - second)
    }

    /// Codes that are not known cost 3.
    private mutating func decodeCode(
        _ place: ZoneGrammar.Place, _ cells: [[[Float]]], _ indices: inout [[Int]],
        _ margins: inout [[Float]]
    ) {
        let three = (0..<3).map { cells[place.line][place.column + $0] }
        let tops = three.map { Self.best($0, .lettersOrFiller) }
        let current = tops.reduce(0) { $0 + $1.score }
        let text = String(
            decoding: tops.map { CharacterMask.characters[$0.index] }, as: UTF8.self)
        var first = (
            score: current - (IssuerCode.known.contains(text) ? 0 : 3), indices: tops.map(\.index)
        )
        var second = -Float.infinity
        for (code, known) in Self.knownCodes where code != text {
            let value = (0..<3).reduce(Float(0)) { $0 + three[$1][known[$1]] }
            if value > first.score {
                second = first.score
                first = (value, known)
            } else if value > second {
                second = value
            }
        }
        for i in 0..<3 {
            indices[place.line][place.column + i] = first.indices[i]
            margins[place.line][place.column + i] = first.score - second
        }
        score += first.score - current
    }

    private static let knownCodes = IssuerCode.known.sorted().map {
        ($0, $0.utf8.map { CharacterMask.index(of: $0) })
    }

    private mutating func readPrinted(
        _ cells: [[[Float]]], _ masks: [ZoneGrammar.Place: CharacterMask]
    ) {
        for (line, row) in cells.enumerated() {
            var text: [UInt8] = []
            for (column, cell) in row.enumerated() {
                let isName = line == grammar.name.line
                let mask =
                    masks[ZoneGrammar.Place(line: line, column: column)]
                    ?? (isName && grammar.name.columns.contains(column) ? .lettersOrFiller : .all)
                let ruled = Self.best(cell, mask), free = Self.best(cell, .all)
                let top = isName || free.score - ruled.score < 4 ? ruled : free
                text.append(CharacterMask.characters[top.index])
                printedMargin = min(printedMargin, top.margin, 30)
            }
            printed.append(text)
        }
    }
}
