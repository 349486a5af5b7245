internal import Foundation
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
    /// - Parameter input: The data as it was typed, because the letters that are compared here have
    ///   lost marks that change their transliteration.
    /// - Returns: `inconclusive` if the document lacks a part, or a name is merely alike, and nothing
    ///   else disagrees.
    public func agreement(
        with stated: StatedPerson, typed input: PersonalDataInput,
        shortNames: ShortNames = .standard
    ) -> IdentityCheckResult {
        let results = agreements(with: stated, typed: input, shortNames: shortNames).map(\.result)
        if results.contains(.failed) { return .failed }
        return results.contains(.inconclusive) ? .inconclusive : .passed
    }

    /// The parts of ``agreement(with:typed:shortNames:)``, so that a reviewer sees which one differs.
    public func agreements(
        with stated: StatedPerson, typed input: PersonalDataInput,
        shortNames: ShortNames = .standard
    ) -> [(field: IdentityField, result: IdentityCheckResult)] {
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
                    Self.agrees(
                        lastName, input.lastName, stated.familyName, isShortened: isShortened
                    ) { .ofLastNames($0, $1) }
                ),
                (
                    .firstName,
                    Self.agrees(
                        firstName, input.firstName, stated.givenNames, isShortened: isShortened,
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
        _ typed: String, _ text: String, isShortened: Bool, allowingMoreWords: Bool
    ) -> Bool {
        let words = text.uppercased().split(separator: " ").map(String.init)
        guard words.allSatisfy({ $0.utf8.allSatisfy { (65...90).contains($0) } }) else {
            return false
        }
        let isEnough = words.reduce(0) { $0 + $1.count } >= 3
        return Transliteration.matches(
            words, typed, allowingMoreWords: allowingMoreWords,
            mayBeTruncated: isShortened && isEnough) ?? false
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
        let isLatin = typed.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        let isOther =
            isLatin && name.isDisjoint(with: typed) && spelled.isDisjoint(with: typedSpelled)
        return isOther && !isShortened ? false : nil
    }

    /// - Returns: `nil` if the document does not state the name, it is merely alike, or nothing says how
    ///   documents spell it.
    private static func agrees(
        _ typed: FoldedText, _ input: String, _ text: String, isShortened: Bool,
        allowingMoreWords: Bool = false,
        by comparison: (FoldedText, FoldedText) -> NameAgreement
    ) -> Bool? {
        guard text.utf8.count <= maxFieldBytes, text.isStreamSafe else { return nil }
        let stated = FoldedText(text)
        guard !stated.isEmpty else { return nil }
        let name = input.precomposedStringWithCanonicalMapping
        if isTransliterated(
            name, text, isShortened: isShortened, allowingMoreWords: allowingMoreWords)
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
        let hasRules =
            Transliteration.recommended(name) != nil && !Transliteration.isSpelledFreely(name)
        return isEnough || !hasRules ? nil : false
    }
}
