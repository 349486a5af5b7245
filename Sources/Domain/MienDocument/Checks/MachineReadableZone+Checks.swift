internal import MienCore

extension MachineReadableZone {
    func checks(asOf today: CalendarDate) -> [DocumentCheck] {
        var out = checkDigits.map { check($0.field.checkName, .init($0.isRight)) }
        out.append(check(.issuer, .init(issuer.isKnown)))
        out.append(
            check(
                .nationality, nationality.map { .init($0.isKnown) } ?? .notChecked(.notApplicable)))
        out.append(check(.sex, .init(sex != nil)))
        out.append(check(.birth, birthVerdict(today)))
        out.append(check(.expiry, expiryVerdict(today)))
        out.append(check(.notExpired, notExpiredVerdict(today)))
        out.append(check(.numberFormat, NumberRule.number(of: self)))
        out.append(check(.personalNumber, PersonalNumberRule.verdict(self)))
        return out
    }

    private func check(_ name: DocumentCheck.Name, _ verdict: DocumentCheck.Verdict)
        -> DocumentCheck
    { DocumentCheck(name: name, verdict: verdict, sources: [.mrz]) }

    private func birthVerdict(_ today: CalendarDate) -> DocumentCheck.Verdict {
        guard let birth else { return .failed }
        guard birth.isComplete else { return .notChecked(.partial) }
        return .init(birth.birth(asOf: today) != nil)
    }

    private func expiryVerdict(_ today: CalendarDate) -> DocumentCheck.Verdict {
        guard hasExpiry else { return .notChecked(.notApplicable) }
        guard let expiry else { return .failed }
        guard expiry.isComplete else { return .notChecked(.partial) }
        guard let end = expiry.expiry(asOf: today) else { return .failed }
        return .init(birth?.birth(asOf: today).map { $0 < end } ?? true)
    }

    private func notExpiredVerdict(_ today: CalendarDate) -> DocumentCheck.Verdict {
        guard hasExpiry else { return .notChecked(.notApplicable) }
        guard let expiry else { return .failed }
        guard expiry.isComplete else { return .notChecked(.partial) }
        return .init(expiry.expiry(asOf: today).map { $0 >= today } ?? false)
    }
}

extension MRZDate {
    /// Whether year, month, and day are known.
    var isComplete: Bool { year != nil && month != nil && day != nil }
}

extension MRZCheckDigit.Field {
    fileprivate var checkName: DocumentCheck.Name {
        switch self {
        case .number: .numberCheckDigit
        case .birth: .birthCheckDigit
        case .expiry: .expiryCheckDigit
        case .optional: .optionalCheckDigit
        case .composite: .compositeCheckDigit
        }
    }
}
