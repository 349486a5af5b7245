package import MienIdentity

/// The rules of a deployment for identity verification.
package struct IdentityRules: Sendable {
    /// The consent that an attempt needs.
    package static let consentPurpose = "identity"

    package var policy = VerificationPolicy()
    /// The level that users of apps without one of their own have to reach.
    package var required = VerificationMethod.knowledgeOfPII
    /// The countries whose personal data is accepted.
    package var countries = Set(Country.allCases)
    /// The issuers whose documents are accepted.
    package var issuers = Set(DocumentIssuer.all)
    package var age = AgeRule()
    package var recommendations = RecommendationRules.standard
    /// The days for which personal data and pictures are kept, 1...3,650.
    package var retentionDays = 90
    /// The days for which the records of verification sessions are kept, 1...3,650.
    package var resultRetentionDays = 90
    package var needsConsent = true
    package var needsSecondReviewer = false
    /// The operator's own text for the consent.
    package var consentText: IdentityConsentText?

    /// Given names and their short forms.
    package var shortNames = ShortNames.standard
}
