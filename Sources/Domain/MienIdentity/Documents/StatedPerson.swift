public import MienCore
internal import MienDocument

/// The holder of a document, as far as the document states who that is.
public struct StatedPerson: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    /// Empty if the document states none, or does not say which name it is.
    public var familyName: String
    /// All given names, with spaces between them; all names if the document does not say which is
    /// the family name; empty if it states none.
    public var givenNames: String
    /// `nil` if the document does not state the whole date.
    public var dateOfBirth: CalendarDate?
    /// Whether the ends of names may be missing.
    public var hasShortenedNames: Bool

    public init(
        familyName: String, givenNames: String, dateOfBirth: CalendarDate?,
        hasShortenedNames: Bool = false
    ) {
        (self.familyName, self.givenNames) = (familyName, givenNames)
        (self.dateOfBirth, self.hasShortenedNames) = (dateOfBirth, hasShortenedNames)
    }

    public var description: String { "‹stated person›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PersonalData {
    /// Whether a document states this person: the same date of birth and names, by the rules with
    /// which data is compared with sources.
    ///
    /// - Returns: `inconclusive` if the document lacks a part, or a name is merely alike, and nothing
    ///   else disagrees.
    public func agreement(with stated: StatedPerson, shortNames: ShortNames = .standard)
        -> IdentityCheckResult
    {
        let results = agreements(with: stated, shortNames: shortNames).map(\.result)
        if results.contains(.failed) { return .failed }
        return results.contains(.inconclusive) ? .inconclusive : .passed
    }

    /// The parts of ``agreement(with:shortNames:)``, so that a reviewer sees which one differs.
    public func agreements(with stated: StatedPerson, shortNames: ShortNames = .standard)
        -> [(field: IdentityField, result: IdentityCheckResult)]
    {
        let isShortened = stated.hasShortenedNames
        var results: [(IdentityField, Bool?)] = [
            (.dateOfBirth, stated.dateOfBirth.map { $0 == dateOfBirth })
        ]
        if stated.familyName.isEmpty != stated.givenNames.isEmpty {
            let name = stated.familyName + stated.givenNames
            results.append((.lastName, agrees(withOnlyName: name, isShortened: isShortened)))
        } else {
            results += [
                (
                    .lastName,
                    Self.agrees(lastName, stated.familyName, isShortened: isShortened) {
                        .ofLastNames($0, $1)
                    }
                ),
                (
                    .firstName,
                    Self.agrees(
                        firstName, stated.givenNames, isShortened: isShortened,
                        allowingMoreWords: true
                    ) { .ofGivenNames($0, $1, shortNames) }
                ),
            ]
        }
        return results.map { field, agrees in
            (field, agrees.map { $0 ? .passed : .failed } ?? .inconclusive)
        }
    }

    /// Whether a document spells a name as ICAO Doc 9303 part 3 transliterates it: `ALEKSEI` for
    /// Алексей.
    private static func isTransliterated(
        _ typed: FoldedText, _ text: String, isShortened: Bool, allowingMoreWords: Bool
    ) -> Bool {
        // Typed names have lost their accents, so the spellings that keep them lose them, too.
        let plain = text.uppercased().replacing("NXX", with: "N").replacing("UXX", with: "U")
        let words = plain.split(separator: " ").map(String.init)
        guard words.allSatisfy({ $0.utf8.allSatisfy { (65...90).contains($0) } }) else {
            return false
        }
        let isEnough = words.reduce(0) { $0 + $1.count } >= 3
        return [typed.words, typed.spelledOut].contains { name in
            Transliteration.matches(
                words, name.joined(separator: " "), allowingMoreWords: allowingMoreWords,
                mayBeTruncated: isShortened && isEnough) ?? false
        }
    }

    /// People with one name have to type two: they divide it, repeat it, or invent one.
    ///
    /// - Returns: `nil` if only some of the words are the same.
    private func agrees(withOnlyName text: String, isShortened: Bool) -> Bool? {
        guard text.utf8.count <= Self.maxFieldBytes, text.isStreamSafe else { return nil }
        let stated = FoldedText(text), name = Set(stated.words), spelled = Set(stated.spelledOut)
        let typed = [firstName, lastName].flatMap(\.words)
        let typedSpelled = [firstName, lastName].flatMap(\.spelledOut)
        if name == Set(typed) || spelled == Set(typedSpelled) { return true }
        let isOther = name.isDisjoint(with: typed) && spelled.isDisjoint(with: typedSpelled)
        return isOther && !isShortened ? false : nil
    }

    /// - Returns: `nil` if the document does not state the name, or it is merely alike.
    private static func agrees(
        _ typed: FoldedText, _ text: String, isShortened: Bool, allowingMoreWords: Bool = false,
        by comparison: (FoldedText, FoldedText) -> NameAgreement
    ) -> Bool? {
        guard text.utf8.count <= maxFieldBytes, text.isStreamSafe else { return nil }
        let stated = FoldedText(text)
        guard !stated.isEmpty else { return nil }
        if isTransliterated(
            typed, text, isShortened: isShortened, allowingMoreWords: allowingMoreWords)
        {
            return true
        }
        let found = comparison(typed, stated)
        let isEnough = found.score >= IdentityField.firstName.minimum
        if isEnough, !found.isAlike { return true }
        if isShortened,
            typed.joined.contains(where: { name in
                stated.joined.contains { $0.count >= 3 && name.hasPrefix($0) }
            })
        {
            return true
        }
        return isEnough ? nil : false
    }
}
