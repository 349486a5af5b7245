internal import Foundation
internal import MienCore
internal import MienStore

/// The texts of the pages in one language: a file of `Web/Languages`.
struct WebLanguage: Sendable {
    /// A language tag, such as `en`.
    let tag: String
    /// The language's name for itself.
    let name: String
    /// `ltr` or `rtl`.
    let direction: String
    let texts: [String: String]

    struct Malformed: Error {
        let tag: String
    }

    init(tag: String, json: String) throws {
        let value = try JSONText.parse(json)
        guard let name = value["language"]?["name"]?.stringValue,
            let direction = value["language"]?["direction"]?.stringValue,
            ["ltr", "rtl"].contains(direction), let members = value["texts"]?.objectValue
        else { throw Malformed(tag: tag) }
        (self.tag, self.name, self.direction) = (tag, name, direction)
        texts = try members.mapValues {
            guard let text = $0.stringValue else { throw Malformed(tag: tag) }
            return text
        }
    }
}

/// The languages of the pages. English is complete; a text that another language lacks is shown in
/// English.
struct WebLanguages: Sendable {
    let all: [WebLanguage]

    init() throws {
        all = try [
            WebLanguage(tag: "en", json: WebFiles.languageEnglish),
            WebLanguage(tag: "es", json: WebFiles.languageSpanish),
            WebLanguage(tag: "ar", json: WebFiles.languageArabic),
        ]
    }

    subscript(tag: String) -> WebLanguage? { all.first { $0.tag == tag } }

    /// Chooses the language: the person's choice, then what the app asked for, then the browser's
    /// preferences, then the app's default.
    ///
    /// - Parameter accepted: The value of `Accept-Language`.
    func choose(chosen: String?, asked: [String], accepted: String?, standard: String?)
        -> WebLanguage
    {
        var wanted: [String] = []
        if let chosen { wanted.append(chosen) }
        wanted += asked
        wanted += Self.preferred(accepted ?? "")
        if let standard { wanted.append(standard) }
        for tag in wanted {
            let main = tag.lowercased().prefix { $0 != "-" }
            if let found = self[String(main)] { return found }
        }
        return all[0]
    }

    /// The tags of `Accept-Language`, the most wanted first: RFC 9110 §12.5.4.
    private static func preferred(_ accepted: String) -> [String] {
        var found: [(tag: String, quality: Double)] = []
        for part in accepted.prefix(1024).split(separator: ",").prefix(32) {
            let pieces = part.split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard let tag = pieces.first else { continue }
            var quality = 1.0
            for piece in pieces.dropFirst() where piece.hasPrefix("q=") {
                quality = Double(piece.dropFirst(2)) ?? 1
            }
            if quality > 0 { found.append((tag, quality)) }
        }
        return found.sorted { $0.quality > $1.quality }.map(\.tag)
    }
}

/// The texts of one page: the app's own where it has them.
struct PageTexts: Sendable {
    let language: WebLanguage
    private let texts: [String: String]

    init(_ language: WebLanguage, in languages: WebLanguages, own: [String: [String: String]]) {
        self.language = language
        texts = languages.all[0].texts.merging(language.texts) { $1 }
            .merging(own[language.tag] ?? [:]) { $1 }
    }

    /// - Parameter values: What replaces `{name}` in the text.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        var text = texts[key] ?? key
        for (name, value) in values {
            text = text.replacing("{\(name)}", with: isolated(value))
        }
        return text
    }

    /// Keeps a value in one piece, and the text around it in order. Without this, the exclamation
    /// mark of “Yahoo!” jumps to its beginning on an Arabic page.
    private func isolated(_ value: String) -> String {
        language.direction == "rtl" ? "\u{2068}\(value)\u{2069}" : value.isolated
    }

    /// Whether there is such a text.
    func has(_ key: String) -> Bool { texts[key] != nil }

    /// For templates.
    var values: PageValue { .object(texts.mapValues { .text($0) }) }

    /// Those with one of the prefixes, for scripts.
    func json(prefixes: [String]) -> JSONValue {
        .object(
            texts.filter { text in prefixes.contains { text.key.hasPrefix($0) } }.mapValues {
                .string($0)
            })
    }
}
