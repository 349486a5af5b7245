/// Compares short texts by the typing mistakes between them.
enum TextLikeness {
    /// The highest likeness of any two spellings.
    static func best(_ some: [String], _ others: [String]) -> Double {
        var best = 0.0
        for a in some { for b in others { best = max(best, likeness(a, b)) } }
        return best
    }

    /// 1 minus the number of mistakes for each character of the longer text; 1 for two empty texts.
    ///
    /// A mistake is a wrong, missing, or additional character, or two neighbors swapped (optimal
    /// string alignment). Takes time proportional to the product of the lengths, which
    /// ``PersonalData/maxFieldBytes`` bounds.
    static func likeness(_ a: String, _ b: String) -> Double {
        if a == b { return 1 }
        let a = Array(a.unicodeScalars), b = Array(b.unicodeScalars)
        let longer = max(a.count, b.count)
        guard !a.isEmpty, !b.isEmpty else { return 0 }
        return 1 - Double(mistakes(a, b)) / Double(longer)
    }

    private static func mistakes(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + last.dropFirst()
            for j in 1...b.count {
                var best = min(row[j - 1] + 1, last[j] + 1)
                best = min(best, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, before[j - 2] + 1)
                }
                row[j] = best
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
