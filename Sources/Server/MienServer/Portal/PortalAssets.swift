/// The files of the portal by their paths below `/admin/assets/`.
enum PortalAssets {
    /// Modules and styles, from `Web/Portal`. A file of a page module is added here and in
    /// `Embedded.txt`.
    static let files: [(path: String, text: String)] =
        [
            ("base.css", PortalFiles.baseStyle),
            ("portal.css", PortalFiles.style),
            ("logo.svg", PortalFiles.logo),
            ("main.js", PortalFiles.main),
            ("shell.js", PortalFiles.shell),
            ("api.js", PortalFiles.api),
            ("dom.js", PortalFiles.dom),
            ("list.js", PortalFiles.list),
            ("router.js", PortalFiles.router),
            ("strings.js", PortalFiles.strings),
            ("icons.js", PortalFiles.icons),
            ("languages.js", PortalFiles.languages),
            ("languages/en.json", PortalFiles.languageEnglish),
            ("languages/es.json", PortalFiles.languageSpanish),
            ("languages/ar.json", PortalFiles.languageArabic),
            ("passkeys.js", PortalFiles.passkeys),
            ("directories.js", PortalFiles.directories),
            ("account.js", PortalFiles.account),
            ("administrators.js", PortalFiles.administrators),
            ("apps.js", PortalFiles.apps),
            ("face-groups.js", PortalFiles.faceGroups),
            ("users.js", PortalFiles.users),
            ("reviews.js", PortalFiles.reviews),
            ("audit.js", PortalFiles.audit),
            ("home.js", PortalFiles.home),
            ("first-steps.js", PortalFiles.firstSteps),
            ("settings.js", PortalFiles.settings),
            ("settings-form.js", PortalFiles.settingsForm),
            ("branding.js", PortalFiles.branding),
            ("quick-start.js", PortalFiles.quickStart),
            ("registration.js", PortalFiles.registration),
            ("products.json", PortalFiles.products),
            ("charts.js", PortalFiles.charts),
            ("organizations.js", PortalFiles.organizations),
        ] + journeys

    /// The files of the pages at `/organization`, by their paths below `/organization/assets/`: the
    /// portal's own modules, and those of these pages.
    static let organization: [(path: String, text: String)] = [
        ("base.css", PortalFiles.baseStyle),
        ("portal.css", PortalFiles.style),
        ("logo.svg", PortalFiles.logo),
        ("api.js", PortalFiles.api),
        ("dom.js", PortalFiles.dom),
        ("list.js", PortalFiles.list),
        ("router.js", PortalFiles.router),
        ("strings.js", PortalFiles.strings),
        ("languages.js", PortalFiles.languages),
        ("languages/en.json", PortalFiles.languageEnglish),
        ("languages/es.json", PortalFiles.languageSpanish),
        ("languages/ar.json", PortalFiles.languageArabic),
        ("organization/main.js", PortalFiles.organizationMain),
        ("organization/frame.js", PortalFiles.organizationFrame),
        ("organization/home.js", PortalFiles.organizationHome),
        ("organization/members.js", PortalFiles.organizationMembers),
        ("organization/member.js", PortalFiles.organizationMember),
    ]

    /// The editor of journeys.
    private static let journeys: [(path: String, text: String)] = [
        ("journeys/checker.js", PortalFiles.journeyChecker),
        ("journeys/code-panel.js", PortalFiles.journeyCodePanel),
        ("journeys/completion.js", PortalFiles.journeyCompletion),
        ("journeys/dialogs.js", PortalFiles.journeyDialogs),
        ("journeys/diff.js", PortalFiles.journeyDiff),
        ("journeys/document.js", PortalFiles.journeyDocument),
        ("journeys/editor.js", PortalFiles.journeyEditor),
        ("journeys/expression.js", PortalFiles.journeyExpression),
        ("journeys/form.js", PortalFiles.journeyForm),
        ("journeys/graph.js", PortalFiles.journeyGraph),
        ("journeys/index.js", PortalFiles.journeyIndex),
        ("journeys/journey-form.js", PortalFiles.journeyJourneyForm),
        ("journeys/journeys.css", PortalFiles.journeyStyle),
        ("journeys/layout.js", PortalFiles.journeyLayout),
        ("journeys/list.js", PortalFiles.journeyList),
        ("journeys/picture.js", PortalFiles.journeyPicture),
        ("journeys/run-parts.js", PortalFiles.journeyRunParts),
        ("journeys/settings.js", PortalFiles.journeySettings),
        ("journeys/simulation-panel.js", PortalFiles.journeySimulationPanel),
        ("journeys/tabs.js", PortalFiles.journeyTabs),
        ("journeys/trial-panel.js", PortalFiles.journeyTrialPanel),
        ("journeys/value.js", PortalFiles.journeyValue),
        ("journeys/versions.js", PortalFiles.journeyVersions),
        ("journeys/webhook-test.js", PortalFiles.journeyWebhookTest),
    ]

    /// - Returns: The media type of a file by its name.
    static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        default: "text/plain; charset=utf-8"
        }
    }
}
