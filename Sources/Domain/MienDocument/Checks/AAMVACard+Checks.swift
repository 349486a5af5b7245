internal import MienCore

extension AAMVACard {
    func checks(asOf today: CalendarDate) -> [DocumentCheck] {
        [
            check(.issuer, .init(jurisdiction != nil)),
            check(.sex, self[.sex] == nil ? .notChecked(.missing) : .init(sex != nil)),
            check(.birth, verdict(of: .birth) { $0 <= today && $0.years(until: today) <= 125 }),
            check(.expiry, verdict(of: .expiry) { end in birth.map { $0 < end } ?? true }),
            check(.issue, verdict(of: .issue, issueIsPlausible(today))),
            check(.notExpired, notExpiredVerdict(today)),
            check(.numberFormat, NumberRule.number(of: self)),
        ]
    }

    private func check(_ name: DocumentCheck.Name, _ verdict: DocumentCheck.Verdict)
        -> DocumentCheck
    { DocumentCheck(name: name, verdict: verdict, sources: [.barcode]) }

    private func issueIsPlausible(_ today: CalendarDate) -> (CalendarDate) -> Bool {
        { issue in
            issue <= today && birth.map { $0 < issue } ?? true
                && expiry.map { issue < $0 } ?? true
        }
    }

    private func verdict(of id: AAMVAElementID, _ isPlausible: (CalendarDate) -> Bool)
        -> DocumentCheck.Verdict
    {
        switch date(id) {
        case .day(let date): .init(isPlausible(date))
        case .partial(let days):
            isPlausible(days.lowerBound) || isPlausible(days.upperBound)
                ? .notChecked(.partial) : .failed
        case .absent: .notChecked(.missing)
        case .invalid: .failed
        }
    }

    /// A card that states only the month is valid up to a day of that month.
    private func notExpiredVerdict(_ today: CalendarDate) -> DocumentCheck.Verdict {
        if case .partial(let days) = date(.expiry), days.lowerBound >= today { return .passed }
        return verdict(of: .expiry) { $0 >= today }
    }
}
