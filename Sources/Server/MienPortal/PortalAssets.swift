/// The files of the portal by their paths below `/admin/assets/`.
enum PortalAssets {
    /// Modules and styles, from `Web/Portal`. A file of a page module is added here and in
    /// `Embedded.txt`.
    static let files: [(path: String, text: String)] =
        [
            ("base.css", EmbeddedFiles.baseStyle),
            ("portal.css", EmbeddedFiles.style),
            ("logo.svg", EmbeddedFiles.logo),
            ("main.js", EmbeddedFiles.main),
            ("shell.js", EmbeddedFiles.shell),
            ("api.js", EmbeddedFiles.api),
            ("dom.js", EmbeddedFiles.dom),
            ("list.js", EmbeddedFiles.list),
            ("router.js", EmbeddedFiles.router),
            ("strings.js", EmbeddedFiles.strings),
            ("icons.js", EmbeddedFiles.icons),
            ("languages.js", EmbeddedFiles.languages),
            ("languages/es.js", EmbeddedFiles.spanish),
            ("languages/ar.js", EmbeddedFiles.arabic),
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
            ("first-steps.js", EmbeddedFiles.firstSteps),
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
            ("organizations.js", EmbeddedFiles.organizations),
            ("languages/en-organizations.js", EmbeddedFiles.organizationsTexts),
        ] + journeys

    /// The files of the pages at `/organization`, by their paths below `/organization/assets/`: the
    /// portal's own modules, and those of these pages.
    static let organization: [(path: String, text: String)] = [
        ("base.css", EmbeddedFiles.baseStyle),
        ("portal.css", EmbeddedFiles.style),
        ("logo.svg", EmbeddedFiles.logo),
        ("api.js", EmbeddedFiles.api),
        ("dom.js", EmbeddedFiles.dom),
        ("list.js", EmbeddedFiles.list),
        ("router.js", EmbeddedFiles.router),
        ("strings.js", EmbeddedFiles.strings),
        ("languages.js", EmbeddedFiles.languages),
        ("languages/es.js", EmbeddedFiles.spanish),
        ("languages/ar.js", EmbeddedFiles.arabic),
        ("languages/en-shell.js", EmbeddedFiles.shellTexts),
        ("organization/main.js", EmbeddedFiles.organizationMain),
        ("organization/frame.js", EmbeddedFiles.organizationFrame),
        ("organization/home.js", EmbeddedFiles.organizationHome),
        ("organization/members.js", EmbeddedFiles.organizationMembers),
        ("organization/member.js", EmbeddedFiles.organizationMember),
        ("languages/en-organization.js", EmbeddedFiles.organizationTexts),
    ]

    /// The editor of journeys.
    private static let journeys: [(path: String, text: String)] = [
        ("journeys/checker.js", EmbeddedFiles.journeyChecker),
        ("journeys/code-panel.js", EmbeddedFiles.journeyCodePanel),
        ("journeys/completion.js", EmbeddedFiles.journeyCompletion),
        ("journeys/dialogs.js", EmbeddedFiles.journeyDialogs),
        ("journeys/diff.js", EmbeddedFiles.journeyDiff),
        ("journeys/document.js", EmbeddedFiles.journeyDocument),
        ("journeys/editor.js", EmbeddedFiles.journeyEditor),
        ("journeys/expression.js", EmbeddedFiles.journeyExpression),
        ("journeys/form.js", EmbeddedFiles.journeyForm),
        ("journeys/graph.js", EmbeddedFiles.journeyGraph),
        ("journeys/index.js", EmbeddedFiles.journeyIndex),
        ("journeys/journey-form.js", EmbeddedFiles.journeyJourneyForm),
        ("journeys/journeys.css", EmbeddedFiles.journeyStyle),
        ("journeys/layout.js", EmbeddedFiles.journeyLayout),
        ("journeys/list.js", EmbeddedFiles.journeyList),
        ("journeys/picture.js", EmbeddedFiles.journeyPicture),
        ("journeys/run-parts.js", EmbeddedFiles.journeyRunParts),
        ("journeys/settings.js", EmbeddedFiles.journeySettings),
        ("journeys/simulation-panel.js", EmbeddedFiles.journeySimulationPanel),
        ("journeys/tabs.js", EmbeddedFiles.journeyTabs),
        ("journeys/trial-panel.js", EmbeddedFiles.journeyTrialPanel),
        ("journeys/value.js", EmbeddedFiles.journeyValue),
        ("journeys/versions.js", EmbeddedFiles.journeyVersions),
        ("journeys/webhook-test.js", EmbeddedFiles.journeyWebhookTest),
        ("languages/en-journeys.js", EmbeddedFiles.journeyTexts),
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
