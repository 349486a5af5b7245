public import MienCore

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
        var results: [Bool?] = [stated.dateOfBirth.map { $0 == dateOfBirth }]
        if stated.familyName.isEmpty != stated.givenNames.isEmpty {
            results.append(
                agrees(
                    withOnlyName: stated.familyName + stated.givenNames,
                    isShortened: stated.hasShortenedNames))
        } else {
            results += [
                Self.agrees(
                    lastName, stated.familyName, isShortened: stated.hasShortenedNames
                ) { .ofLastNames($0, $1) },
                Self.agrees(
                    firstName, stated.givenNames, isShortened: stated.hasShortenedNames
                ) { .ofGivenNames($0, $1, shortNames) },
            ]
        }
        if results.contains(false) { return .failed }
        return results.contains(nil) ? .inconclusive : .passed
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
        _ typed: FoldedText, _ text: String, isShortened: Bool,
        by comparison: (FoldedText, FoldedText) -> NameAgreement
    ) -> Bool? {
        guard text.utf8.count <= maxFieldBytes, text.isStreamSafe else { return nil }
        let stated = FoldedText(text)
        guard !stated.isEmpty else { return nil }
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
