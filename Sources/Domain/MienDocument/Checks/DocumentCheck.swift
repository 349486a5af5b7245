/// A named check of a document, and its result.
public struct DocumentCheck: Sendable, Hashable {
    public enum Name: String, Sendable, CaseIterable {
        case numberCheckDigit = "number_check_digit"
        case birthCheckDigit = "birth_check_digit"
        case expiryCheckDigit = "expiry_check_digit"
        case optionalCheckDigit = "optional_check_digit"
        case compositeCheckDigit = "composite_check_digit"
        /// The issuer is a known state or organization.
        case issuer
        case nationality
        /// The sex is one that the format allows.
        case sex
        /// The date of birth exists, is not in the future, and makes the holder at most 125 years
        /// old.
        case birth
        /// The date of expiry exists and is after the date of birth.
        case expiry
        /// The date of issue is after the date of birth, not in the future, and before the expiry.
        case issue
        /// The document has not expired.
        case notExpired = "not_expired"
        /// The number has the form that the issuer publishes.
        case numberFormat = "number_format"
        /// A national number in the optional data has the form and the check digits that the issuer
        /// publishes.
        case personalNumber = "personal_number"
        // Fields that occur in two sources.
        case sameNumber = "same_number"
        case sameFamilyName = "same_family_name"
        case sameGivenNames = "same_given_names"
        case sameBirth = "same_birth"
        case sameExpiry = "same_expiry"
        case sameIssue = "same_issue"
        case sameSex = "same_sex"
        case sameCountry = "same_country"
        case sameNationality = "same_nationality"
        case samePostalCode = "same_postal_code"
    }

    public enum Verdict: Sendable, Hashable {
        case passed
        case failed
        case notChecked(Reason)
    }

    /// The reason that a check was not made.
    public enum Reason: String, Sendable, CaseIterable {
        /// The document, or one of the sources, does not have the field.
        case missing
        /// The issuer publishes no rule, or this version does not know it.
        case noRule = "no_rule"
        /// The date is partly unknown.
        case partial
        /// A name has letters whose transliteration is not supported.
        case script
        /// Printed text differs so little that OCR may have misread it.
        case unclear
        /// Printed text differs, but was read with little confidence, or resembles the other text so
        /// little that it may be that of another field.
        case doubtful
        /// The format has no such field.
        case notApplicable = "not_applicable"
    }

    public let name: Name
    public let verdict: Verdict
    /// The sources that were compared or checked.
    public let sources: [DocumentFields.Source]
}

extension DocumentCheck.Verdict {
    init(_ passed: Bool) { self = passed ? .passed : .failed }
}
