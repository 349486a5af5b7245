package import MienIdentity

/// The rules of a deployment for identity verification.
package struct IdentityRules: Sendable {
    /// The consent that an attempt needs.
    package static let consentPurpose = "identity"

    package var policy: VerificationPolicy
    /// The level that users of apps without one of their own have to reach.
    package var required: VerificationMethod
    package var countries: Set<Country>
    package var age: AgeRule
    package var recommendations: RecommendationRules
    /// The days for which personal data and pictures are kept, 1...3,650.
    package var retentionDays: Int
    /// The days for which the records of verification sessions are kept, 1...3,650.
    package var resultRetentionDays: Int
    package var needsConsent: Bool
    package var needsSecondReviewer: Bool
    /// The operator's own text for the consent.
    package var consentText: IdentityConsentText?

    /// Given names and their short forms.
    package var shortNames: ShortNames

    package init(
        policy: VerificationPolicy = VerificationPolicy(),
        required: VerificationMethod = .knowledgeOfPII,
        countries: Set<Country> = Set(Country.allCases), age: AgeRule = AgeRule(),
        recommendations: RecommendationRules = .standard, retentionDays: Int = 90,
        resultRetentionDays: Int = 90,
        needsConsent: Bool = true, needsSecondReviewer: Bool = false,
        consentText: IdentityConsentText? = nil, shortNames: ShortNames = .standard
    ) {
        self.shortNames = shortNames
        self.consentText = consentText
        (self.policy, self.required, self.countries, self.age) = (policy, required, countries, age)
        (self.recommendations, self.retentionDays) = (recommendations, retentionDays)
        self.resultRetentionDays = resultRetentionDays
        (self.needsConsent, self.needsSecondReviewer) = (needsConsent, needsSecondReviewer)
    }
}
