import MienAPI
import MienJourney
import Testing

@testable import MienServer

@Suite("The standard consent")
struct StandardConsentTests {
    static func wire(_ consent: CaptureConsent) -> CaptureConsentText {
        CaptureConsentText(
            textVersion: consent.textVersion, title: consent.title, text: consent.text,
            buttonText: consent.button)
    }

    @Test("every language has it, and the English one is what the API sends")
    func translated() throws {
        let languages = try WebLanguages(), standard = CaptureConsent.standard
        for language in languages.all {
            let texts = PageTexts(language, in: languages, own: [:])
            let found = texts.translations(of: Self.wire(standard))
            #expect(Set(found.keys) == [standard.title, standard.text, standard.button])
            #expect((found[standard.text] == standard.text) == (language.tag == "en"))
            #expect((found[standard.title] == standard.title) == (language.tag == "en"))
        }
    }

    @Test("every language has the consent to identity verification, in English as the API sends it")
    func identity() throws {
        let languages = try WebLanguages()
        let standard = IdentityConsentText.standard(retentionDays: 42, documents: true).content
        for language in languages.all {
            let texts = PageTexts(language, in: languages, own: [:])
            let found = texts.translations(ofConsent: standard, days: 42)
            let text = try #require(found[standard])
            #expect((text == standard) == (language.tag == "en"))
            #expect(text.contains("42"))
        }
    }

    @Test("neither an app's own consent nor its texts change what the version stands for")
    func own() throws {
        let languages = try WebLanguages(), standard = CaptureConsent.standard
        let texts = PageTexts(
            languages.all[0], in: languages,
            own: ["en": ["consent_standard_text": "We keep everything."]])
        #expect(texts.translations(of: Self.wire(standard))[standard.text] == standard.text)
        var other = Self.wire(standard)
        other.textVersion = "ours-1"
        #expect(texts.translations(of: other).isEmpty)
        other = Self.wire(standard)
        other.text = "We keep everything."
        #expect(texts.translations(of: other).isEmpty)
    }
}

@Suite("Colors of an app's pages")
struct ThemeTests {
    @Test("links are readable in every color that settings accept, in the light and in the dark")
    func accents() throws {
        let light = try ["#f3f5f7", "#ffffff", "#f6f8f9"].map { try #require(PageColor($0)) },
            dark = try ["#0e1216", "#171c22", "#1f262d"].map { try #require(PageColor($0)) }
        var accepted = 0
        for value in stride(from: 0, through: 0xff_ff_ff, by: 40_009) {
            let color = PageColor(
                red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xff), blue: UInt8(value & 0xff))
            let pages = PageSettings(brand: color.css)
            guard pages.faults.isEmpty else { continue }
            accepted += 1
            let css = try #require(PageRenderer.css(of: pages))
            let accents = css.matches(of: /--accent:(#[0-9a-f]{6})/).compactMap {
                PageColor(String($0.1))
            }
            try #require(accents.count == 2)
            for background in light {
                #expect(accents[0].contrast(with: background) >= 4.5, "\(color.css)")
            }
            for background in dark {
                #expect(accents[1].contrast(with: background) >= 4.5, "\(color.css)")
            }
        }
        #expect(accepted > 50)
    }
}
