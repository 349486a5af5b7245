/// The best reading of characters that check digits tie together.
///
/// Exact: of all readings whose digits are right, the most probable, by dynamic programming over
/// the sums of the field and of the composite, both modulo 10. Forwards and backwards together give
/// the best reading with each character at each place, and so the margin to the best *other*
/// reading with right digits.
struct CheckedChain {
    /// The indices of the characters.
    private(set) var characters: [Int] = []
    /// How much worse the best reading with another character at the place is.
    private(set) var margins: [Float] = []
    private(set) var score: Float = 0
    /// The score without check digits, within the masks.
    private(set) var freeScore: Float = 0

    static let impossible: Float = -1e9

    /// For each pair of sums (field, composite), the best score.
    private typealias Table = [Float]

    /// - Parameter scores: Of each slot, 37 logarithms of probabilities; impossible ones are
    ///   excluded by the mask.
    init(_ slots: [ZoneGrammar.Slot], _ scores: [[Float]]) {
        let masked = zip(slots, scores).map { slot, cell in
            (0..<37).map { slot.mask.contains($0) ? cell[$0] : Self.impossible }
        }
        let best = masked.map(Self.bestByResidue)
        var forward: [Table] = []
        var table = Table(repeating: Self.impossible, count: 100)
        table[0] = 0
        forward.append(table)
        for (slot, best) in zip(slots, best) {
            table = Self.after(table, slot.role, best)
            forward.append(table)
        }
        var back = Table(repeating: Self.impossible, count: 100)
        if case .compositeDigit = slots.last?.role {
            back[0] = 0
        } else {
            for c in 0..<10 { back[c] = 0 }
        }
        var through: [[Float]] = []
        for k in slots.indices.reversed() {
            var row = [Float](repeating: Self.impossible, count: 10)
            var next = Table(repeating: Self.impossible, count: 100)
            for v in 0..<10 {
                for state in 0..<100 {
                    guard let to = Self.step(state, slots[k].role, v),
                        back[to] > Self.impossible / 2
                    else { continue }
                    row[v] = max(row[v], forward[k][state] + back[to])
                    next[state] = max(next[state], back[to] + best[k][v])
                }
            }
            back = next
            through.append(row)
        }
        through.reverse()
        for (row, cell) in zip(through, masked) {
            let totals = (0..<37).map { row[Self.residue($0)] + cell[$0] }
            let top = totals.indices.max { totals[$0] < totals[$1] } ?? 0
            if characters.isEmpty { score = totals[top] }
            let second = totals.indices.lazy.filter { $0 != top }.map { totals[$0] }.max() ?? 0
            characters.append(top)
            margins.append(score - second)
        }
        freeScore = masked.reduce(0) { $0 + ($1.max() ?? 0) }
    }

    private static func residue(_ character: Int) -> Int { character == 36 ? 0 : character % 10 }

    private static func bestByResidue(_ cell: [Float]) -> [Float] {
        var best = [Float](repeating: impossible, count: 10)
        for c in 0..<37 { best[residue(c)] = max(best[residue(c)], cell[c]) }
        return best
    }

    /// The sums after a character with residue `v`; `nil` when it contradicts a check digit.
    @inline(__always)
    private static func step(_ state: Int, _ role: ZoneGrammar.Role, _ v: Int) -> Int? {
        let field = state / 10, composite = state % 10
        switch role {
        case .field(let weight, let other):
            return (field + weight * v) % 10 * 10 + (composite + other * v) % 10
        case .checkDigit(let other): return field == v ? (composite + other * v) % 10 : nil
        case .compositeDigit: return composite == v ? field * 10 : nil
        }
    }

    private static func after(_ table: Table, _ role: ZoneGrammar.Role, _ best: [Float]) -> Table {
        var next = Table(repeating: impossible, count: 100)
        for v in 0..<10 where best[v] > impossible / 2 {
            for state in 0..<100 where table[state] > impossible / 2 {
                guard let to = step(state, role, v) else { continue }
                next[to] = max(next[to], table[state] + best[v])
            }
        }
        return next
    }
}
