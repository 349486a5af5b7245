/// A value that a template shows. Text is escaped for HTML when the page is made, so no template
/// can forget it.
enum PageValue: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    /// HTML that a template of ours made.
    case html(String)
    case flag(Bool)
    case list([PageValue])
    case object([String: PageValue])

    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
    init(arrayLiteral items: PageValue...) { self = .list(items) }
    init(dictionaryLiteral members: (String, PageValue)...) {
        self = .object(Dictionary(members) { $1 })
    }

    /// `false` for `nil`, so that the template's section is left out.
    static func optional(_ text: String?) -> PageValue { text.map { .text($0) } ?? .flag(false) }

    /// The value as the template engine reads it. Its own escaping is off: it works on characters, and a quote
    /// after a prepended mark (U+0600) is one character with it.
    var forTemplate: Any {
        switch self {
        case .text(let text): EscapedHTML.of(text)
        case .html(let text): text
        case .flag(let flag): flag
        case .list(let items): items.map(\.forTemplate)
        case .object(let members): members.mapValues(\.forTemplate)
        }
    }
}
