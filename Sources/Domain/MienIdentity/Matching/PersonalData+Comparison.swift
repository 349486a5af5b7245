internal import MienCore

extension PersonalData {
    /// Compares typed data with a reference. Symmetric.
    public func scores(against reference: PersonalData) -> FieldScores {
        var scores: [IdentityField: Double] = [
            .firstName: Self.givenNames(firstName, reference.firstName),
            .lastName: TextLikeness.best(lastName.joined, reference.lastName.joined),
            .dateOfBirth: Self.dates(dateOfBirth, reference.dateOfBirth),
            .address: address.likeness(to: reference.address),
            .postalCode: postalCode == reference.postalCode ? 1 : 0,
        ]
        if country != reference.country { scores[.postalCode] = 0 }
        if let city, let other = reference.city {
            scores[.city] = TextLikeness.best(city.joined, other.joined)
        }
        if let state, let other = reference.state {
            scores[.state] = state.joined.contains(where: other.joined.contains) ? 1 : 0
        }
        return FieldScores(scores)
    }

    /// Compares all given names, or 0.95 times the first alone: registries list middle names that
    /// people do not use.
    static func givenNames(_ a: FoldedText, _ b: FoldedText) -> Double {
        let all = TextLikeness.best(a.joined, b.joined)
        guard a.words.count != b.words.count else { return all }
        let first = TextLikeness.best(
            [a.words[0], a.spelledOut[0]], [b.words[0], b.spelledOut[0]])
        return max(all, first * 0.95)
    }

    /// 0.5 for day and month swapped or one digit wrong, so that a report can name the mistake. Both
    /// are below the minimum.
    private static func dates(_ a: CalendarDate, _ b: CalendarDate) -> Double {
        if a == b { return 1 }
        let isSwapped = a.year == b.year && a.month == b.day && a.day == b.month
        let wrong = zip(a.description.utf8, b.description.utf8).count { $0 != $1 }
        return isSwapped || wrong == 1 ? 0.5 : 0
    }

    /// Texts that people who may be the same share. A registry finds its candidates by keyed hashes
    /// of them, and then compares each.
    ///
    /// A date of birth, with either the postal code or the first letter of the last name. People who
    /// match share both, because the date and the code must be equal. The letter finds a person who
    /// moved, which matters if the reference is marked.
    public var blockingTexts: [String] {
        let country = country.rawValue, date = dateOfBirth.description
        var texts = ["\(country)|code-date|\(postalCode)|\(date)"]
        for name in lastName.joined {
            let text = "\(country)|name-date|\(name.prefix(1))|\(date)"
            if !texts.contains(text) { texts.append(text) }
        }
        return texts.sorted()
    }
}

extension FieldScores {
    /// Whether names and date of birth agree, wherever the person lives. A mark of the reference, such
    /// as a death, then concerns this person.
    public var isSamePerson: Bool {
        [IdentityField.firstName, .lastName, .dateOfBirth].allSatisfy { field in
            scores[field].map { $0 >= field.minimum } ?? false
        }
    }
}

/// The closest of several references.
public enum RegistryMatch {
    /// - Parameter references: the data of each candidate.
    /// - Returns: the index and scores of the reference that agrees with the highest total, or, if
    ///   none agrees, of the highest total; `nil` without candidates.
    public static func best(of references: [PersonalData], for person: PersonalData)
        -> (index: Int, scores: FieldScores)?
    {
        references.enumerated().map { ($0.offset, person.scores(against: $0.element)) }
            .max { a, b in
                a.1.agrees != b.1.agrees ? b.1.agrees : a.1.total < b.1.total
            }
    }
}
