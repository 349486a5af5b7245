internal import MienAPI
internal import MienJourney

extension PageTexts {
    /// The standard consent in the page's language, by its English texts. Empty for the app's own
    /// consent, which is shown as it is.
    ///
    /// An app's replacements of the pages' texts do not apply, because the version that is recorded
    /// must say what the person has read.
    func translations(of consent: CaptureConsentText) -> [String: String] {
        let standard = CaptureConsent.standard
        guard consent.textVersion == standard.textVersion, consent.title == standard.title,
            consent.text == standard.text, consent.buttonText == standard.button
        else { return [:] }
        let keys = [
            standard.title: "consent_standard_title", standard.text: "consent_standard_text",
            standard.button: "consent_standard_button",
        ]
        return keys.compactMapValues { language.texts[$0] }
    }
}
