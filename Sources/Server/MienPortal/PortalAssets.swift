/// The files of the portal by their paths below `/admin/assets/`.
enum PortalAssets {
    /// Modules and styles, from `Web/Portal`. A file of a page module is added here and in
    /// `Embedded.txt`.
    static let files: [(path: String, text: String)] =
        [
            ("portal.css", EmbeddedFiles.style),
            ("logo.svg", EmbeddedFiles.logo),
            ("main.js", EmbeddedFiles.main),
            ("shell.js", EmbeddedFiles.shell),
            ("api.js", EmbeddedFiles.api),
            ("dom.js", EmbeddedFiles.dom),
            ("list.js", EmbeddedFiles.list),
            ("router.js", EmbeddedFiles.router),
            ("strings.js", EmbeddedFiles.strings),
            ("languages/en-shell.js", EmbeddedFiles.shellTexts),
            ("passkeys.js", EmbeddedFiles.passkeys),
            ("account.js", EmbeddedFiles.account),
            ("languages/en-account.js", EmbeddedFiles.accountTexts),
            ("administrators.js", EmbeddedFiles.administrators),
            ("languages/en-administrators.js", EmbeddedFiles.administratorsTexts),
            ("apps.js", EmbeddedFiles.apps),
            ("users.js", EmbeddedFiles.users),
            ("reviews.js", EmbeddedFiles.reviews),
            ("audit.js", EmbeddedFiles.audit),
            ("home.js", EmbeddedFiles.home),
            ("settings.js", EmbeddedFiles.settings),
            ("settings-form.js", EmbeddedFiles.settingsForm),
            ("branding.js", EmbeddedFiles.branding),
            ("quick-start.js", EmbeddedFiles.quickStart),
            ("charts.js", EmbeddedFiles.charts),
            ("languages/en-apps.js", EmbeddedFiles.appsTexts),
            ("languages/en-users.js", EmbeddedFiles.usersTexts),
            ("languages/en-reviews.js", EmbeddedFiles.reviewsTexts),
            ("languages/en-audit.js", EmbeddedFiles.auditTexts),
            ("languages/en-home.js", EmbeddedFiles.homeTexts),
            ("languages/en-settings.js", EmbeddedFiles.settingsTexts),
        ]

    /// - Returns: The media type of a file by its name.
    static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/plain; charset=utf-8"
        }
    }
}
