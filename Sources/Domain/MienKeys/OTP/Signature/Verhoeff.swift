/// The check digit of J. Verhoeff, 1969. Detects every single wrong digit and every swap of two
/// adjacent digits.
enum Verhoeff {
    /// The multiplication table of the dihedral group of order 10.
    private static let product: [[Int]] = (0..<10).map { a in
        (0..<10).map { b in
            switch (a < 5, b < 5) {
            case (true, true): (a + b) % 5
            case (true, false): 5 + (a + b) % 5
            case (false, true): 5 + (a - b) % 5
            case (false, false): (a - b + 5) % 5
            }
        }
    }

    private static let inverse = [0, 4, 3, 2, 1, 5, 6, 7, 8, 9]

    /// Row `n` is the first permutation applied `n` times.
    private static let permutations: [[Int]] = {
        let step = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
        return (1..<8).reduce(into: [Array(0..<10)]) { rows, _ in
            rows.append(rows[rows.count - 1].map { step[$0] })
        }
    }()

    static func checkDigit(of digits: [Int]) -> Int { inverse[sum(of: digits + [0])] }

    /// - Parameter digits: the digits, with the check digit last.
    static func isValid(_ digits: [Int]) -> Bool { sum(of: digits) == 0 }

    private static func sum(of digits: [Int]) -> Int {
        digits.reversed().enumerated().reduce(0) { sum, next in
            product[sum][permutations[next.offset % 8][next.element]]
        }
    }
}
