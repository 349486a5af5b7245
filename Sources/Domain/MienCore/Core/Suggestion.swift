/// Suggests a known word for a misspelled one.
package enum Suggestion {
    /// Returns `; did you mean “x”?` with the word closest to `word`, or an empty string if none is
    /// close enough to be a typo.
    package static func text(for word: String, among words: some Sequence<String>) -> String {
        nearest(to: word, among: words).map { "; did you mean “\($0)”?" } ?? ""
    }

    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let limit = max(1, min(word.count, 64) / 3)
        let ranked = words.map {
            (
                word: $0,
                distance: distance(
                    Array(word.lowercased().prefix(64)), Array($0.lowercased().prefix(64)))
            )
        }
        return ranked.filter { $0.distance <= limit }.min {
            ($0.distance, $0.word) < ($1.distance, $1.word)
        }?.word
    }

    /// Returns the Levenshtein distance, with a swap of neighboring characters counted as one.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = [], last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
