/// Pairs of photos in folds, in the format of LFW's `pairs.txt`.
///
///     3  300                      folds, and pairs of each kind in a fold
///     Abel_Pacheco  1  4          one person, photos 1 and 4           (300 rows)
///     Abdel_Madi  1  Dean_Barker  1   two people, a photo each         (300 rows; then the next fold)
///
/// Columns are separated by tabs or spaces; empty lines are skipped. Photo number n is the file
/// `name_000n.jpg`. Source: http://vis-www.cs.umass.edu/lfw/README.txt, "pairs.txt".
public struct PairList: Sendable, Equatable {
    /// One photo of a person.
    public struct Photo: Sendable, Hashable {
        public let person: String
        /// Counted from 1.
        public let number: Int

        public init(person: String, number: Int) { (self.person, self.number) = (person, number) }
    }

    public struct Pair: Sendable, Equatable {
        public let first, second: Photo
        public var isMated: Bool { first.person == second.person }
    }

    /// Each fold has as many mated pairs as impostor pairs.
    public let folds: [[Pair]]

    public var pairs: [Pair] { folds.flatMap { $0 } }

    /// - Throws: ``PairListError``, which names the line.
    public init(_ text: String) throws(PairListError) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
            .map { (number: $0 + 1, columns: $1.split(whereSeparator: \.isWhitespace)) }
            .filter { !$0.columns.isEmpty }
        guard let header = lines.first else { throw .header(line: 1) }
        let (foldCount, pairsPerKind) = try Self.header(header.columns, line: header.number)
        let rows = lines.dropFirst()
        let perFold = 2 * pairsPerKind
        guard rows.count == foldCount * perFold else {
            throw .count(expected: foldCount * perFold, got: rows.count)
        }
        var folds = [[Pair]](repeating: [], count: foldCount)
        for (i, row) in rows.enumerated() {
            let pair = try Self.pair(row.columns, line: row.number)
            guard pair.isMated == (i % perFold < pairsPerKind) else {
                throw .kind(line: row.number, expectedMated: !pair.isMated)
            }
            folds[i / perFold].append(pair)
        }
        self.folds = folds
    }

    /// Parses the header, such as `3 300`; `300` alone means one fold.
    private static func header(_ columns: [Substring], line: Int) throws(PairListError) -> (
        folds: Int, pairsPerKind: Int
    ) {
        let numbers = columns.compactMap { Int($0) }
        guard numbers.count == columns.count, (1...2).contains(numbers.count) else {
            throw .header(line: line)
        }
        let (folds, pairs) = numbers.count == 2 ? (numbers[0], numbers[1]) : (1, numbers[0])
        guard (1...1000).contains(folds), (1...1_000_000).contains(pairs) else {
            throw .header(line: line)
        }
        return (folds, pairs)
    }

    private static func pair(_ columns: [Substring], line: Int) throws(PairListError) -> Pair {
        switch columns.count {
        case 3:
            let person = String(columns[0])
            return Pair(
                first: Photo(person: person, number: try number(columns[1], line)),
                second: Photo(person: person, number: try number(columns[2], line)))
        case 4:
            guard columns[0] != columns[2] else { throw .samePerson(line: line) }
            return Pair(
                first: Photo(person: String(columns[0]), number: try number(columns[1], line)),
                second: Photo(person: String(columns[2]), number: try number(columns[3], line)))
        default: throw .columns(line: line, count: columns.count)
        }
    }

    private static func number(_ text: Substring, _ line: Int) throws(PairListError) -> Int {
        guard let number = Int(text), (1...999_999).contains(number) else {
            throw .number(line: line)
        }
        return number
    }
}

/// The reason that text is not a valid list of pairs. Lines are counted from 1.
public enum PairListError: Error, Equatable, Sendable {
    /// The first line is not "folds pairs" with two positive numbers.
    case header(line: Int)
    /// A row does not have 3 or 4 columns.
    case columns(line: Int, count: Int)
    /// A photo number is not in 1...999999.
    case number(line: Int)
    /// A row of four columns names one person twice.
    case samePerson(line: Int)
    /// A mated pair appears where an impostor pair belongs, or vice versa.
    case kind(line: Int, expectedMated: Bool)
    /// The number of rows differs from the header.
    case count(expected: Int, got: Int)
}

extension PairListError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let line):
            "line \(line) must hold two numbers: folds (1 to 1,000) and pairs of each kind per fold (1 to 1,000,000)"
        case .columns(let line, let count):
            "line \(line) has \(count) columns; expected “name i j” or “name i name j”"
        case .number(let line): "a photo number in line \(line) is not 1 to 999999"
        case .samePerson(let line):
            "line \(line) names one person twice; write a pair of one person as “name i j”"
        case .kind(let line, let expectedMated):
            "line \(line) is a pair of \(expectedMated ? "two people" : "one person"); each fold lists pairs of one person first, then as many of two people"
        case .count(let expected, let got):
            "the first line declares \(expected) pairs, but there are \(got)"
        }
    }
}
