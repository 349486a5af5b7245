/// The best reading of a name field: letters with single fillers, two fillers between its parts,
/// and fillers at the end. The first part is empty for people who have one name, if their state
/// writes it as a given name: then the field begins with the two fillers.
struct NameAutomaton {
    private(set) var characters: [Int] = []
    /// How much worse the best reading with another character at the place is.
    private(set) var margins: [Float] = []
    private(set) var score: Float = 0

    /// Letters of the first part, a filler in it, the separator, letters of the second part, a filler
    /// in it, the end; and the two fillers of a separator without a first part.
    private static let transitions: [(from: Int, to: Int, isLetter: Bool)] = [
        (0, 0, true), (0, 1, false), (1, 0, true), (1, 2, false), (2, 3, true), (2, 5, false),
        (3, 3, true), (3, 4, false), (4, 3, true), (4, 5, false), (5, 5, false),
        (6, 7, false), (7, 3, true),
    ]
    private static let states = 8

    /// - Parameter mayBeEmpty: Whether the field may consist of fillers, because the format has
    ///   another one for given names.
    init(_ cells: [[Float]], mayBeEmpty: Bool) {
        let n = cells.count, impossible = CheckedChain.impossible
        let transitions = Self.transitions + (mayBeEmpty ? [(7, 5, false)] : [])
        let letter = cells.map { $0[10..<36].max() ?? impossible }, filler = cells.map { $0[36] }
        let row = [Float](repeating: impossible, count: Self.states)
        var forward = [[Float]](repeating: row, count: n)
        var from = [[Int]](repeating: [Int](repeating: 0, count: Self.states), count: n)
        (forward[0][0], forward[0][6]) = (letter[0], filler[0])
        for i in 1..<n {
            for (a, b, isLetter) in transitions {
                let value = forward[i - 1][a] + (isLetter ? letter[i] : filler[i])
                if value > forward[i][b] { (forward[i][b], from[i][b]) = (value, a) }
            }
        }
        var back = [[Float]](repeating: row, count: n)
        back[n - 1] = [Float](repeating: 0, count: Self.states)
        for i in (0..<n - 1).reversed() {
            for (a, b, isLetter) in transitions {
                let value = back[i + 1][b] + (isLetter ? letter[i + 1] : filler[i + 1])
                back[i][a] = max(back[i][a], value)
            }
        }
        var state = (0..<Self.states).max { forward[n - 1][$0] < forward[n - 1][$1] } ?? 0
        score = forward[n - 1][state]
        var states = [state]
        for i in (1..<n).reversed() {
            state = from[i][state]
            states.append(state)
        }
        states.reverse()
        for i in 0..<n {
            let letters = 10..<36
            let isLetter = states[i] == 0 || states[i] == 3
            characters.append(isLetter ? letters.max { cells[i][$0] < cells[i][$1] } ?? 10 : 36)
            var withLetter = impossible, withFiller = impossible
            if i == 0 {
                (withLetter, withFiller) = (back[0][0], back[0][6])
            } else {
                for (a, b, isLetter) in transitions {
                    let value = forward[i - 1][a] + back[i][b]
                    if isLetter {
                        withLetter = max(withLetter, value)
                    } else {
                        withFiller = max(withFiller, value)
                    }
                }
            }
            let totals = letters.map { withLetter + cells[i][$0] } + [withFiller + filler[i]]
            let sorted = totals.sorted(by: >)
            margins.append(sorted[0] - sorted[1])
        }
    }
}
