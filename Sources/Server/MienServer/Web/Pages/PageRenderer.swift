internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore
internal import Mustache
internal import NIOCore

/// A page: a template, what it shows, and what its scripts read.
struct WebPage: Sendable {
    let template: String
    let title: String
    var values: [String: PageValue] = [:]
    /// Names of modules in `Web/Assets`.
    var scripts: [String] = []
    /// Data for the scripts, besides texts.
    var data: JSONValue?
    /// The prefixes of the texts that the scripts read.
    var scriptTexts: [String] = []
    /// An origin that submitting a form may redirect to, besides this server.
    var formTarget = ""
    /// The origins of frames in the page.
    var frames: [String] = []
    var status = HTTPResponse.Status.ok
}

/// The person, app, and browser that a page is for.
struct PageView: Sendable {
    let texts: PageTexts
    /// `nil` for pages of no app.
    let app: AppRecord?
    /// Colors, logo, and texts: the app's, and the server's where it has none.
    let look: PageSettings
    /// Proves that a form comes from a page of this browser.
    let csrf: String
    /// The address of the page within this server, to come back to in another language; `nil` for
    /// pages that answer a form and have no address.
    let path: String?

    /// Returns what the words of a scope let an app do.
    func scopes(_ words: some Sequence<String>) -> [String] {
        words.compactMap { word in
            let key = "scope_\(word.replacing("-", with: "_"))"
            return texts.has(key) ? texts(key) : nil
        }
    }
}

/// Makes pages from templates.
struct PageRenderer: Sendable {
    /// The template engine's own escaping is off; ``PageValue`` escapes.
    private static let pragma = "{{% CONTENT_TYPE: TEXT}}\n"

    /// Templates that do not fill one narrow column.
    private static let layouts = [
        "verify": "page-capture", "capture": "page-capture", "account": "page-wide",
    ]

    private let templates: MustacheLibrary
    let languages: WebLanguages
    let assets: WebAssets

    init() throws {
        let all = [
            "layout": WebFiles.layout, "step": WebFiles.step,
            "capture": WebFiles.capture, "permission": WebFiles.permission,
            "device": WebFiles.device, "authenticator": WebFiles.authenticator,
            "organization": WebFiles.organization,
            "choose": WebFiles.choose, "ended": WebFiles.ended,
            "account": WebFiles.account, "confirm": WebFiles.confirm, "post": WebFiles.post,
            "message": WebFiles.message, "codes": WebFiles.codes,
            "passkey": WebFiles.passkey, "signedout": WebFiles.signedOut,
            "verify": WebFiles.verify,
        ]
        templates = MustacheLibrary(
            templates: try all.mapValues { try MustacheTemplate(string: Self.pragma + $0) })
        languages = try WebLanguages()
        assets = WebAssets()
    }

    func response(_ page: WebPage, for view: PageView) -> Response {
        var values = page.values
        values["t"] = view.texts.values
        values["csrf"] = .text(view.csrf)
        values["form_id"] = .text(Self.formID())
        values["title"] = .text(page.title)
        values["app_name"] = .optional(view.app?.name)
        let content =
            templates.render(PageValue.object(values).forTemplate, withTemplate: page.template)
            ?? ""
        let language = view.texts.language
        let links = Self.links(of: view)
        let frame: [String: PageValue] = [
            "links": .list(links), "has_links": .flag(!links.isEmpty),
            "t": view.texts.values, "title": .text(page.title), "content": .html(content),
            "language": .text(language.tag), "direction": .text(language.direction),
            "style": .text(assets.address("style.css")), "icon": .text(assets.address("logo.svg")),
            "theme": .optional(Self.theme(of: view)),
            "logo": .optional(view.look.logo),
            "app_name": .optional(view.app?.name), "path": .optional(view.path),
            // The capture page's script shows the app once it knows it.
            "has_header": .flag(
                (view.app != nil || view.look.logo != nil) && page.template != "verify"),
            "layout_class": .optional(Self.layouts[page.template]),
            "languages": .list(
                languages.all.map {
                    [
                        "tag": .text($0.tag), "name": .text($0.name),
                        "is_current": .flag($0.tag == language.tag),
                    ]
                }),
            "scripts": .list(page.scripts.map { ["src": .text(assets.address($0))] }),
            "data": .html(Self.scriptSafe(data(of: page, view))),
        ]
        let text =
            templates.render(PageValue.object(frame).forTemplate, withTemplate: "layout") ?? ""
        return Response(
            status: page.status, headers: Self.headers(of: page),
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// The app's own pages: what it is, what it does with data, and its terms.
    private static func links(of view: PageView) -> [PageValue] {
        guard let app = view.app else { return [] }
        return [
            (app.settings.clientURI, view.texts("page_about", ["app": app.name])),
            (app.settings.policyURI, view.texts("page_policy")),
            (app.settings.termsURI, view.texts("page_terms")),
        ].compactMap { address, label in
            address.map { ["address": .text($0), "label": .text(label)] }
        }
    }

    /// Tells a page's forms from those of the same page opened again. Not a secret.
    private static func formID() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(generator.bytes(12))
    }

    private func data(of page: WebPage, _ view: PageView) -> JSONValue {
        [
            "language": .string(view.texts.language.tag),
            "direction": .string(view.texts.language.direction),
            "csrf": .string(view.csrf), "texts": view.texts.json(prefixes: page.scriptTexts),
            "page": .object(
                (page.data?.objectValue ?? [:]).merging([
                    "worker": .string(assets.address("capture-worker.js"))
                ]) { first, _ in first }),
        ]
    }

    /// JSON inside of a script element: nothing in it can end the element or begin a comment.
    private static func scriptSafe(_ value: JSONValue) -> String {
        String(decoding: JSONBody.bytes(of: value), as: UTF8.self).replacing("<", with: "\\u003c")
            .replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }

    private static func headers(of page: WebPage) -> HTTPFields {
        let formTarget = page.formTarget
        // Browsers also apply `form-action` to redirects after a form submission.
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'",
            "img-src 'self' data: blob:", "media-src 'self' blob:", "connect-src 'self'",
            "worker-src 'self'", "form-action 'self'\(formTarget.isEmpty ? "" : " \(formTarget)")",
            "frame-src \(page.frames.isEmpty ? "'none'" : page.frames.joined(separator: " "))",
            "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
            "trusted-types mien",
        ].joined(separator: "; ")
        return [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy: policy,
            .init("permissions-policy")!:
                "camera=(self), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
            .init("cross-origin-opener-policy")!: "same-origin",
            .init("cross-origin-resource-policy")!: "same-origin",
            .init("x-frame-options")!: "DENY", .init("referrer-policy")!: "no-referrer",
        ]
    }

    // MARK: Themes

    /// The address of the page's colors; `nil` if they are the standard ones.
    private static func theme(of view: PageView) -> String? {
        guard let css = css(of: view.look) else { return nil }
        let mark = css.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
        let path = view.app.map { "/web/theme/\($0.id.text)" } ?? "/web/theme"
        return "\(path)?v=\(String(mark, radix: 36))"
    }

    /// Colors as a style sheet.
    static func css(of pages: PageSettings) -> String? {
        func rule(_ text: String?, _ background: PageColor, _ contrast: Double) -> String? {
            text.flatMap { PageColor($0) }.map {
                let accent = $0.readable(on: background, contrast: contrast)
                return
                    ":root{--brand:\($0.css);--brand-text:\($0.text.css);--accent:\(accent.css)}"
            }
        }
        // The style sheet's surfaces, and more contrast than the required 4.5, because links and
        // letters are also on surfaces that the color tints.
        let light = rule(pages.brand, PageColor(red: 0xf3, green: 0xf5, blue: 0xf7), 5),
            dark = rule(
                pages.brandDark ?? pages.brand, PageColor(red: 0x1f, green: 0x26, blue: 0x2d), 6
            ).map { "@media(prefers-color-scheme:dark){\($0)}" }
        guard light != nil || dark != nil else { return nil }
        return (light ?? "") + (dark ?? "")
    }
}
