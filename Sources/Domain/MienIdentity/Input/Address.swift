/// A street address in the form in which it is compared: the numbers apart from the words, and the
/// words abbreviated.
struct Address: Sendable, Hashable {
    /// House and unit numbers, sorted: `Unit 4, 12 Main Street` and `12 Main St #4` have the same.
    let numbers: [String]
    /// The other words, abbreviated.
    let words: FoldedText

    init(_ text: String, country: Country) {
        let parts = FoldedText(text).map { Self.abbreviated($0, country) }
        let joined = parts.map { Self.joinedNumbers($0, country) }
        numbers = joined.words.filter(Self.isNumber).sorted()
        words = joined.map { words in
            words.filter { !Self.isNumber($0) && !country.words.ignored.contains($0) }
        }
    }

    /// 1 for the same address, at most 0.85 if one of them lacks a number, such as that of a unit,
    /// and at most 0.4 if their numbers differ.
    func likeness(to other: Address) -> Double {
        let text = TextLikeness.best(words.joined, other.words.joined)
        if numbers == other.numbers { return text }
        let (fewer, more) =
            numbers.count < other.numbers.count
            ? (numbers, other.numbers) : (other.numbers, numbers)
        let isPart = !fewer.isEmpty && fewer.allSatisfy(more.contains)
        return isPart ? min(text, 0.85) : text * 0.4
    }

    private static func isNumber(_ word: String) -> Bool {
        word.unicodeScalars.contains { $0.properties.generalCategory == .decimalNumber }
    }

    private static func abbreviated(_ words: [String], _ country: Country) -> [String] {
        var result: [String] = []
        var index = 0
        while index < words.count {
            if let phrase = country.words.phrases.first(where: {
                words[index...].starts(with: $0.words)
            }) {
                result.append(phrase.short)
                index += phrase.count
                continue
            }
            result += country.words.abbreviated(words[index])
            index += 1
        }
        return result
    }

    /// Joins a number and a letter behind it: `12 a` is `12a`. In countries where a letter may be a
    /// point of the compass, N, S, E, and W stay apart unless they come last.
    private static func joinedNumbers(_ words: [String], _ country: Country) -> [String] {
        var result: [String] = []
        for (index, word) in words.enumerated() {
            let isCompass = country.words.hasCompass && ["n", "s", "e", "w"].contains(word)
            if word.utf8.count == 1, word.utf8.allSatisfy({ (0x61...0x7A).contains($0) }),
                !isCompass || index == words.count - 1, let last = result.last, isNumber(last)
            {
                result[result.count - 1] = last + word
            } else {
                result.append(word)
            }
        }
        return result
    }
}
