internal import MienCore

extension PersonalData {
    /// Compares typed data with a reference. Symmetric.
    public func scores(against reference: PersonalData, shortNames: ShortNames = .standard)
        -> FieldScores
    {
        var names: [IdentityField: NameAgreement] = [
            .firstName: .ofGivenNames(firstName, reference.firstName, shortNames),
            .lastName: .ofLastNames(lastName, reference.lastName),
        ]
        if names.contains(where: { $1.score < $0.minimum }),
            NameAgreement.areExchanged(firstName, lastName, reference)
        {
            names = names.mapValues { _ in .exchanged }
        }
        var scores = names.mapValues(\.score)
        scores.merge([
            .dateOfBirth: Self.dates(dateOfBirth, reference.dateOfBirth),
            .address: address.likeness(to: reference.address),
            .postalCode: postalCode == reference.postalCode ? 1 : 0,
        ]) { $1 }
        if country != reference.country { scores[.postalCode] = 0 }
        if let city, let other = reference.city {
            scores[.city] = TextLikeness.best(city.joined, other.joined)
        }
        if let state, let other = reference.state {
            scores[.state] = state.joined.contains(where: other.joined.contains) ? 1 : 0
        }
        return FieldScores(scores, alike: Set(names.filter(\.value.isAlike).keys))
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
    /// Whether names and date of birth agree, wherever the person lives: `passed` for the same
    /// person, `inconclusive` for names that may be another person's.
    public var samePerson: IdentityCheckResult {
        let fields = [IdentityField.firstName, .lastName, .dateOfBirth]
        guard fields.allSatisfy({ field in scores[field].map { $0 >= field.minimum } ?? false })
        else { return .failed }
        return alike.isEmpty ? .passed : .inconclusive
    }
}

/// The closest of several references.
public enum RegistryMatch {
    /// - Parameter references: the scores of each candidate.
    /// - Returns: the index of the reference that agrees with the highest total, or, if none agrees,
    ///   of the highest total; `nil` without candidates.
    public static func best(of references: [FieldScores]) -> Int? {
        references.indices.max { a, b in
            let (a, b) = (references[a], references[b])
            return a.agrees != b.agrees ? b.agrees : a.total < b.total
        }
    }
}
