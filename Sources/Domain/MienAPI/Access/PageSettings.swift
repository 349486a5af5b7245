/// How the server's pages look in an app: colors, logo, default language, and texts.
public struct PageSettings: Sendable, Hashable, Codable {
    /// The color of buttons and links, `#rrggbb`; `nil` for the standard color.
    public var brand: String?
    /// The color on dark pages; `nil` for ``brand``.
    public var brandDark: String?
    /// A picture of at most 32 KiB as a `data:` URL of type PNG, WebP, or SVG; shown 40 pixels high.
    public var logo: String?
    /// The language of people whose browser asks for none that the server has: `en`, `es`, `ar`.
    public var language: String?
    /// Texts that differ from the standard ones: by language, then by key.
    public var texts: [String: [String: String]]

    public init(
        brand: String? = nil, brandDark: String? = nil, logo: String? = nil,
        language: String? = nil, texts: [String: [String: String]] = [:]
    ) {
        (self.brand, self.brandDark, self.logo, self.language, self.texts) = (
            brand, brandDark, logo, language, texts
        )
    }

    /// Fills in what is missing: the colors together, because one was chosen for the other, and the
    /// logo, the language, and each text on its own.
    public func completed(by standard: PageSettings) -> PageSettings {
        let hasColor = brand != nil || brandDark != nil
        return PageSettings(
            brand: hasColor ? brand : standard.brand,
            brandDark: hasColor ? brandDark : standard.brandDark, logo: logo ?? standard.logo,
            language: language ?? standard.language,
            texts: standard.texts.merging(texts) { $0.merging($1) { $1 } })
    }

    /// The backgrounds of light and dark pages.
    public static let lightPage = PageColor(red: 0xff, green: 0xff, blue: 0xff),
        darkPage = PageColor(red: 0x17, green: 0x1c, blue: 0x22)
    /// The contrast that a button's edge needs against the page: WCAG 2.2, 1.4.11.
    public static let minContrast = 3.0

    private static let maxLogoBytes = 44 * 1024, maxTexts = 200, maxTextBytes = 2000
    private static let logoTypes = [
        "data:image/png;base64,", "data:image/webp;base64,", "data:image/svg+xml;base64,",
    ]

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        for (name, text, page, word) in [
            ("brand", brand, Self.lightPage, "light"),
            (brandDark == nil ? "brand" : "brand_dark", brandDark ?? brand, Self.darkPage, "dark"),
        ] {
            guard let text else { continue }
            guard let color = PageColor(text) else {
                let fault = (name, "must be a color like #1f5fbf")
                if !faults.contains(where: { $0 == fault }) { faults.append(fault) }
                continue
            }
            let contrast = color.contrast(with: page)
            if contrast < Self.minContrast {
                let shown = (contrast * 100).rounded(.down) / 100
                faults.append(
                    (
                        name,
                        "has a contrast of \(shown) with the \(word) page; at least \(Self.minContrast) is needed\(word == "dark" ? "; set brand_dark to a lighter color" : "; choose a darker color")"
                    ))
            }
        }
        if let logo,
            logo.utf8.count > Self.maxLogoBytes
                || !Self.logoTypes.contains(where: { logo.hasPrefix($0) })
                || !logo.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 })
        {
            faults.append(
                (
                    "logo",
                    "must be a data: URL in base64 of a PNG, WebP, or SVG picture of at most 32 KiB"
                ))
        }
        if let language, !Self.isLanguage(language) {
            faults.append(("language", "must be a language tag like en"))
        }
        for (language, texts) in texts.sorted(by: { $0.key < $1.key }) {
            if !Self.isLanguage(language) {
                faults.append(
                    (
                        "texts.\(String(language.prefix(16)))",
                        "must be named by a language tag like en"
                    ))
            }
            if texts.count > Self.maxTexts
                || texts.contains(where: {
                    $0.key.utf8.count > 64 || $0.value.utf8.count > Self.maxTextBytes
                })
            {
                faults.append(
                    (
                        "texts.\(String(language.prefix(16)))",
                        "must contain at most \(Self.maxTexts) texts of at most \(Self.maxTextBytes) bytes"
                    ))
            }
        }
        if texts.count > 32 { faults.append(("texts", "must contain at most 32 languages")) }
        return faults
    }

    private static func isLanguage(_ text: String) -> Bool {
        (2...16).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case brand, brandDark = "brand_dark", logo, language, texts
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            brand: try values.decodeIfPresent(String.self, forKey: .brand),
            brandDark: try values.decodeIfPresent(String.self, forKey: .brandDark),
            logo: try values.decodeIfPresent(String.self, forKey: .logo),
            language: try values.decodeIfPresent(String.self, forKey: .language),
            texts: try values.decodeIfPresent([String: [String: String]].self, forKey: .texts)
                ?? [:])
    }
}
