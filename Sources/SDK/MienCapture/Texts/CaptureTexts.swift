internal import Foundation
internal import MienAPI
internal import MienIdentity

/// The texts of the screens in one language: those of the web pages, or the app's own.
struct CaptureTexts: Sendable {
    let language: String
    let isRightToLeft: Bool
    private let texts: [String: String]

    /// - Parameters:
    ///   - preferred: Language tags, the preferred one first. English if none is there.
    ///   - own: The app's own texts, by their names.
    init(preferred: [String], own: [String: String] = [:]) {
        let known = preferred.lazy.map { String($0.prefix { $0 != "-" && $0 != "_" }).lowercased() }
            .first { Self.languages[$0] != nil }
        language = known ?? "en"
        let (isRightToLeft, lines) = Self.languages[language] ?? (false, "")
        self.isRightToLeft = isRightToLeft
        var texts: [String: String] = [:]
        for line in lines.split(separator: "\n") {
            let name = line.prefix { $0 != " " }
            texts[String(name)] = String(line.dropFirst(name.count + 1))
        }
        self.texts = texts.merging(own) { $1 }
    }

    /// The names of all languages' texts are equal, which a test compares.
    var names: Set<String> { Set(texts.keys) }

    subscript(_ name: String) -> String { texts[name] ?? name }

    /// A text with its places filled: `{app}`.
    subscript(_ name: String, _ values: [String: String]) -> String {
        values.reduce(self[name]) {
            $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value)
        }
    }

    /// The words for a server's word. A newer server may send one that this version does not know.
    func word(_ name: String, _ prefixes: String...) -> String {
        prefixes.lazy.compactMap { texts[$0 + name] }.first
            ?? name.prefix(1).uppercased()
            + name.dropFirst().replacingOccurrences(of: "_", with: " ")
    }

    func has(_ name: String) -> Bool { texts[name] != nil }

    /// The name of a country in this language.
    func country(_ code: String) -> String {
        Locale(identifier: language).localizedString(forRegionCode: code) ?? code
    }

    // MARK: Words about pictures of documents

    func title(of side: SessionPicture, _ type: IdentityDocumentType) -> String {
        self["\(side.rawValue)_title_\(type.rawValue)"]
    }

    /// Says what to do about a fault of a preview.
    func guidance(_ word: String, of side: SessionPicture, _ type: IdentityDocumentType) -> String {
        guard word == "no_document" else { return self["document_guide_\(word)"] }
        return self["document_guide_no_document_\(type == .passport ? "passport" : side.rawValue)"]
    }

    /// Why another picture is needed: the faults if they are known, otherwise the reasons.
    func reasons(_ reasons: [String], hint: String?) -> [String] {
        let fault = hint.map { "document_fault_\($0)" }.flatMap { has($0) ? $0 : nil }
        var said = fault == nil ? [] : ["poor_image_quality", "image_missing"]
        if Self.isOfChoice(hint) { said.append("document_not_supported") }
        let other = reasons.map { Self.reasonNames[$0] ?? $0 }.filter { !said.contains($0) }
            .map { "document_reason_\($0)" }
            .map { has($0) ? $0 : "document_reason_poor_image_quality" }
        var names: [String] = []
        for name in [fault].compactMap({ $0 }) + other where !names.contains(name) {
            names.append(name)
        }
        return (names.isEmpty ? ["document_reason_poor_image_quality"] : names).map { self[$0] }
    }

    /// Whether the document is another one than the person chose. Another choice helps, not another
    /// document.
    static func isOfChoice(_ hint: String?) -> Bool {
        hint == "other_type" || hint == "other_country"
    }

    /// The names of texts that explain the reasons of the API.
    static let reasonNames = [
        "imageMissing": "image_missing", "poorImageQuality": "poor_image_quality",
        "docDamaged": "document_damaged", "docNotSupported": "document_not_supported",
        "docExpired": "document_expired",
    ]
}
