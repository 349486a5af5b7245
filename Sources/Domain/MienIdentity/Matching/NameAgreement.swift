internal import Foundation

/// How far two names agree.
struct NameAgreement: Sendable, Hashable {
    /// 0...1; below the field's minimum for the names of different people.
    let score: Double
    /// Whether the names may be those of one person or of two, such as twins. A person decides.
    let isAlike: Bool

    private init(_ score: Double, isAlike: Bool = false) {
        (self.score, self.isAlike) = (score, isAlike)
    }

    /// The score of names that are alike: just enough, so that other fields decide, too.
    private static let alike = NameAgreement(0.8, isAlike: true)

    /// Compares given names.
    ///
    /// The first name must be the same, letter by letter, because nothing else tells twins apart:
    /// Hanna and Anna, Maria and Marie. Middle names may be left out or shortened to their initials,
    /// because registries list names that people do not use. All else that people do with their
    /// names leads to a review: typing mistakes, short forms, another order, another script.
    static func ofGivenNames(_ a: FoldedText, _ b: FoldedText, _ short: ShortNames) -> Self {
        if !Set(a.joined).isDisjoint(with: b.joined) { return Self(1) }
        let pairs = spellings(a, b)
        for (a, b) in pairs {
            if let covered = covers(a, b) { return Self(covered) }
        }
        let all = TextLikeness.best(a.joined, b.joined)
        if all >= IdentityField.firstName.minimum { return Self(all, isAlike: true) }
        for (a, b) in pairs {
            let first = a.count == b.count ? 0 : TextLikeness.likeness(a[0], b[0])
            if first >= IdentityField.firstName.minimum || hasSwappedLetters(a[0], b[0])
                || hasSameWords(a, b, short) || hasInitials(a, b)
            {
                return alike
            }
        }
        return isAlikeInAnotherScript(a, b) ? alike : Self(all)
    }

    /// Compares last names. Typing mistakes and particles are tolerated; one of two names, or names
    /// in another order or script, lead to a review.
    static func ofLastNames(_ a: FoldedText, _ b: FoldedText) -> Self {
        let all = TextLikeness.best(a.joined, b.joined)
        if all >= IdentityField.lastName.minimum { return Self(all) }
        let x = a.map(withoutParticles), y = b.map(withoutParticles)
        if !Set(x.joined).isDisjoint(with: y.joined) { return Self(0.9) }
        for (a, b) in spellings(x, y) where isPart(a, of: b) || isPart(b, of: a) { return alike }
        return isAlikeInAnotherScript(a, b) || isAlikeInAnotherScript(x, y) ? alike : Self(all)
    }

    /// Names that were typed in each other's field.
    static func areExchanged(_ first: FoldedText, _ last: FoldedText, _ other: PersonalData) -> Bool
    {
        !Set(first.joined).isDisjoint(with: other.lastName.joined)
            && !Set(last.joined).isDisjoint(with: other.firstName.joined)
    }

    static var exchanged: Self { alike }

    // MARK: Words

    /// The words of both names, in each pair of spellings.
    private static func spellings(_ a: FoldedText, _ b: FoldedText) -> [([String], [String])] {
        let some = a.words == a.spelledOut ? [a.words] : [a.words, a.spelledOut]
        let others = b.words == b.spelledOut ? [b.words] : [b.words, b.spelledOut]
        return some.flatMap { a in others.map { (a, $0) } }
    }

    /// Compares the words one after another: the first ones are the same, and each other word is the
    /// same, the initial of its counterpart, or left out on the side with fewer words.
    ///
    /// - Returns: 0.97 for initials, 0.95 if a name is left out, `nil` if the names differ.
    private static func covers(_ a: [String], _ b: [String]) -> Double? {
        guard var (a, b) = afterFirst(a[...], b[...]) else { return nil }
        if a.count > b.count { swap(&a, &b) }
        let isComplete = a.count == b.count
        for word in a {
            guard let place = b.firstIndex(where: { isSameOrInitial(word, $0) }),
                !isComplete || place == b.startIndex
            else { return nil }
            b = b[(place + 1)...]
        }
        return isComplete ? 0.97 : 0.95
    }

    /// The words behind the first name, which may be written as one word or as two.
    private static func afterFirst(_ a: ArraySlice<String>, _ b: ArraySlice<String>)
        -> (ArraySlice<String>, ArraySlice<String>)?
    {
        if a[0] == b[0] { return (a.dropFirst(), b.dropFirst()) }
        if a.count > 1, a[0] + a[1] == b[0] { return (a.dropFirst(2), b.dropFirst()) }
        if b.count > 1, b[0] + b[1] == a[0] { return (a.dropFirst(), b.dropFirst(2)) }
        return nil
    }

    private static func isSameOrInitial(_ a: String, _ b: String) -> Bool {
        a == b || isInitial(a, of: b) || isInitial(b, of: a)
    }

    private static func isInitial(_ letter: String, of word: String) -> Bool {
        letter.unicodeScalars.count == 1 && word.hasPrefix(letter)
    }

    /// Whether each word of the name with fewer words is among the other's, in any order, as an
    /// initial, or in a short form.
    private static func hasSameWords(_ a: [String], _ b: [String], _ short: ShortNames) -> Bool {
        func isPart(_ a: [String], of b: [String]) -> Bool {
            a.allSatisfy { word in
                b.contains { isSameOrInitial(word, $0) || short.areAlike(word, $0) }
            }
        }
        return a.count <= b.count && isPart(a, of: b) || b.count <= a.count && isPart(b, of: a)
    }

    /// Whether one name consists of the other's initials, such as J.R. for John Ronald.
    private static func hasInitials(_ a: [String], _ b: [String]) -> Bool {
        func initials(_ words: [String]) -> String { String(words.compactMap(\.first)) }
        return a.count > 1 && b == [initials(a)] || b.count > 1 && a == [initials(b)]
    }

    /// Whether two neighboring letters are exchanged, such as in Jonh: two of four letters differ, but
    /// it is one typing mistake.
    private static func hasSwappedLetters(_ a: String, _ b: String) -> Bool {
        let x = Array(a.unicodeScalars), y = Array(b.unicodeScalars)
        guard x.count == y.count else { return false }
        let wrong = x.indices.filter { x[$0] != y[$0] }
        return wrong.count == 2 && wrong[1] == wrong[0] + 1 && x[wrong[0]] == y[wrong[1]]
            && x[wrong[1]] == y[wrong[0]]
    }

    private static func isPart(_ some: [String], of others: [String]) -> Bool {
        some.allSatisfy(others.contains)
    }

    /// Words before a last name that registries and people leave out.
    private static let particles: Set<String> = [
        "van", "von", "vom", "der", "den", "de", "del", "della", "di", "da", "do", "dos", "das",
        "du",
        "des", "la", "las", "le", "les", "los", "lo", "el", "al", "ul", "bin", "ibn", "ben", "bint",
        "abu", "zu", "zur", "zum", "ter", "ten", "te", "af", "av", "d", "y", "e", "i", "und", "of",
        "st", "san", "santa", "mac", "mc", "o",
    ]

    private static func withoutParticles(_ words: [String]) -> [String] {
        let left = words.filter { !particles.contains($0) }
        return left.isEmpty ? words : left
    }

    // MARK: Scripts

    /// Whether exactly one name is written in Latin letters, and both have the same consonants:
    /// Алексей and Aleksei, محمد and Mohammed. Vowels are written in too many ways, or not at all.
    private static func isAlikeInAnotherScript(_ a: FoldedText, _ b: FoldedText) -> Bool {
        let isLatin = a.words.allSatisfy(Self.isLatin)
        guard isLatin != b.words.allSatisfy(Self.isLatin) else { return false }
        let (latin, other) = isLatin ? (a.words, b.words) : (b.words, a.words)
        let spelled = other.joined(separator: " ")
            .replacing("ة", with: "").applyingTransform(.toLatin, reverse: false)
        guard var spelled else { return false }
        func has(_ block: ClosedRange<UInt32>) -> Bool {
            other.contains { $0.unicodeScalars.contains { block.contains($0.value) } }
        }
        let isArabic = has(0x600...0x6FF)
        // ICU writes ц, the first sound of Цезарь, as “c”. Our comparison would take it for the “c”
        // of Carl.
        if has(0x400...0x52F) { spelled = spelled.replacing("c", with: "s") }
        let sounds = consonants(spelled.split(separator: " ").map(String.init), isArabic: isArabic)
        let typed = consonants(latin, isArabic: isArabic)
        guard !sounds.isEmpty, !typed.isEmpty else { return false }
        return sounds.joined() == typed.joined()
            || sounds.count != typed.count && sounds[0] == typed[0]
    }

    private static func isLatin(_ word: String) -> Bool {
        word.unicodeScalars.allSatisfy { $0.value < 0x250 }
    }

    /// Letters and pairs of letters that are written for the same sounds, longest first.
    private static let sounds = [
        ("shch", "s"), ("tsch", "s"), ("sch", "s"), ("tch", "s"), ("ch", "s"), ("sh", "s"),
        ("zh", "s"), ("ts", "s"), ("tz", "s"), ("cz", "s"), ("kh", "h"), ("gh", "g"), ("th", "t"),
        ("dh", "d"), ("ph", "f"), ("ck", "k"), ("ce", "s"), ("ci", "s"), ("cy", "s"), ("x", "ks"),
        ("c", "k"), ("q", "k"), ("z", "s"),
    ]

    private static func consonants(_ words: [String], isArabic: Bool) -> [String] {
        words.compactMap { word in
            var text = word.lowercased()
            // ICU writes each sibilant as one letter with an accent.
            for letter in ["č", "š", "ž", "ŝ"] { text = text.replacing(letter, with: "s") }
            text = text.decomposedStringWithCompatibilityMapping
            text.unicodeScalars.removeAll { !("a"..."z").contains($0) }
            for (letters, sound) in sounds { text = text.replacing(letters, with: sound) }
            text = text.replacing("w", with: isArabic ? "" : "v")
            text = text.replacing("j", with: isArabic ? "g" : "")
            var result = ""
            for letter in text where !"aeiouy".contains(letter) && letter != result.last {
                result.append(letter)
            }
            return result.isEmpty ? nil : result
        }
    }
}
