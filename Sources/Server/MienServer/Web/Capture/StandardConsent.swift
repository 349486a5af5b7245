internal import MienAPI
internal import MienJourney

extension PageTexts {
    /// The standard consent in the page's language, by its English texts. Empty for the app's own
    /// consent, which is shown as it is, but for the sentence that names the search for duplicates.
    ///
    /// An app's replacements of the pages' texts do not apply, because the version that is recorded
    /// must say what the person has read.
    func translations(of consent: CaptureConsentText) -> [String: String] {
        let standard = CaptureConsent.standard
        let own = CaptureConsent.withoutSearch(consent.text) ?? consent.text
        var texts: [String: String] = [:]
        if consent.textVersion == standard.textVersion, consent.title == standard.title,
            own == standard.text, consent.buttonText == standard.button
        {
            texts = [
                standard.title: "consent_standard_title", standard.text: "consent_standard_text",
                standard.button: "consent_standard_button",
            ].compactMapValues { language.texts[$0] }
        }
        if own != consent.text { texts[consent.text] = namingSearch(texts[own] ?? own) }
        return texts
    }

    /// The standard text about faces in the page's language; `nil` for other texts.
    func standardConsent(_ text: String) -> String? {
        text == CaptureConsent.standard.text ? language.texts["consent_standard_text"] : nil
    }

    /// A text with the sentence that names the search for duplicates, in the page's language.
    func namingSearch(_ text: String) -> String {
        "\(text) \(language.texts["consent_search_text"] ?? CaptureConsent.searchText)"
    }

    /// The standard consent to the verification of an identity with a document, by its English text.
    ///
    /// - Parameter days: How long data and pictures are kept.
    func translations(ofConsent content: String, days: Int) -> [String: String] {
        guard let text = language.texts["consent_identity_text"] else { return [:] }
        return [content: text.replacing("{days}", with: "\(days)")]
    }
}
