internal import MienAPI
internal import MienJourney

extension PageTexts {
    /// The standard consent in the page's language, by its English texts. Empty for the app's own
    /// consent, which is shown as it is, but for the sentences that name the apps which share the
    /// face, and the search for duplicates.
    ///
    /// An app's replacements of the pages' texts do not apply, because the version that is recorded
    /// must say what the person has read.
    func translations(of consent: CaptureConsentText) -> [String: String] {
        let standard = CaptureConsent.standard
        let own = Self.own(of: consent.text)
        var texts: [String: String] = [:]
        if consent.textVersion == standard.textVersion, consent.title == standard.title,
            own == standard.text, consent.buttonText == standard.button
        {
            texts = [
                standard.title: "consent_standard_title", standard.text: "consent_standard_text",
                standard.button: "consent_standard_button",
            ].compactMapValues { language.texts[$0] }
        }
        if own != consent.text { texts[consent.text] = translation(ofConsent: consent.text) }
        return texts
    }

    /// A text of consent in the page's language, as far as the server wrote it: the standard text,
    /// and the sentences that it adds to an app's own.
    func translation(ofConsent text: String) -> String {
        let withoutSearch = CaptureConsent.withoutSearch(text), rest = withoutSearch ?? text
        let shared = FaceSharing.divided(rest), own = shared?.own ?? rest
        var parts = [standardConsent(own) ?? own]
        if let shared {
            parts.append(
                language.texts["consent_sharing_text"]?.replacing("{apps}", with: shared.names)
                    ?? String(rest.dropFirst(own.count + 1)))
        }
        if withoutSearch != nil {
            parts.append(language.texts["consent_search_text"] ?? CaptureConsent.searchText)
        }
        return parts.joined(separator: " ")
    }

    /// The standard text about faces in the page's language; `nil` for other texts.
    private func standardConsent(_ text: String) -> String? {
        text == CaptureConsent.standard.text ? language.texts["consent_standard_text"] : nil
    }

    /// A text of consent without the sentences that the server added.
    private static func own(of text: String) -> String {
        let rest = CaptureConsent.withoutSearch(text) ?? text
        return FaceSharing.divided(rest)?.own ?? rest
    }

    /// The standard consent to the verification of an identity with a document, by its English text.
    ///
    /// - Parameter days: How long data and pictures are kept.
    func translations(ofConsent content: String, days: Int) -> [String: String] {
        guard let text = language.texts["consent_identity_text"] else { return [:] }
        return [content: text.replacing("{days}", with: "\(days)")]
    }
}
