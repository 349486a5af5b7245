/// A street address in the form in which it is compared: the numbers apart from the words, and the
/// words abbreviated.
struct Address: Sendable, Hashable {
    /// House and unit numbers, sorted: `Unit 4, 12 Main Street` and `12 Main St #4` have the same.
    let numbers: [String]
    /// The other words, abbreviated.
    let words: FoldedText

    init(_ text: String, country: Country) {
        let known = country.words
        let joined = FoldedText(text).map { words in
            Self.joinedNumbers(known.abbreviated(words), known)
        }
        numbers = joined.words.filter(Self.isNumber).sorted()
        words = joined.map { words in
            words.filter { !Self.isNumber($0) && !known.ignored.contains($0) }
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
        word.unicodeScalars.contains {
            $0.isASCII ? $0.isASCIIDigit : $0.properties.generalCategory == .decimalNumber
        }
    }

    /// Joins a number and a letter behind it: `12 a` is `12a`. In countries where a letter may be a
    /// point of the compass, N, S, E, and W stay apart unless they come last.
    private static func joinedNumbers(_ words: [String], _ known: AddressWords) -> [String] {
        var result: [String] = []
        result.reserveCapacity(words.count)
        for (index, word) in words.enumerated() {
            if let letter = word.utf8.first, word.utf8.count == 1, (0x61...0x7A).contains(letter),
                !known.hasCompass || index == words.count - 1 || !compass.contains(letter),
                let last = result.last, isNumber(last)
            {
                result[result.count - 1] = last + word
            } else {
                result.append(word)
            }
        }
        return result
    }

    private static let compass = Array("nsew".utf8)
}

extension Unicode.Scalar {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
