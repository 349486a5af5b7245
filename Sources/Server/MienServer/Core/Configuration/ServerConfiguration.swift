public import Foundation
package import MienAPI
public import MienCore
package import MienHardware
package import MienIdentity
package import MienModels

/// A server's configuration, read from a YAML file and the environment. Every value is validated.
public struct ServerConfiguration: Sendable {
    /// As long as the hash that it keys, in bytes.
    private static let minWebhookSecret = 32

    /// Replaces a secret in the printed configuration.
    private static let hidden = "‹hidden›"

    private let texts: [String: String]
    /// The folder of credentials that systemd passes: `CREDENTIALS_DIRECTORY`.
    package let credentials: String?

    /// - Parameters:
    ///   - file: a YAML file's path and contents.
    ///   - home: `MIEN_HOME`, for folders that are not set.
    /// - Throws: ``ConfigurationError`` that lists every problem.
    public init(
        file: (path: String, contents: String)? = nil, environment: [String: String], home: URL
    ) throws {
        let sources = try SettingSources(file: file, environment: environment)
        var texts = sources.texts
        if texts["data"] == "" { texts["data"] = home.appending(path: "server").path }
        if texts["packs"] == "" { texts["packs"] = home.appending(path: "packs").path }
        for (key, name) in [
            ("key.path", "master.key"), ("mail.outbox", "outbox"), ("face.cache", "networks"),
        ]
        where texts[key] == "" {
            texts[key] = URL(filePath: texts["data"]!).appending(path: name).path
        }
        var problems = EnvironmentNames.problems(environment)
        for setting in ServerSetting.all {
            if let problem = Self.problem(
                texts[setting.key]!, setting, name: sources.origins[setting.key] ?? setting.key)
            {
                problems.append(problem)
            }
        }
        if (texts["tls.certificate"] == "") != (texts["tls.key"] == "") {
            problems.append(
                "tls.certificate and tls.key belong together: set both, or neither for http")
        }
        if let problem = Self.adminProblem(texts) { problems.append(problem) }
        if let problem = Self.clusterFault(texts) { problems.append(problem) }
        if let problem = Self.publicURLProblem(texts["public_url"] ?? "") {
            problems.append(problem)
        }
        if let problem = Self.portalProblem(texts["admin.url"] ?? "") { problems.append(problem) }
        if let name = Self.list(texts["admin.hosts"] ?? "").first(where: {
            $0.wholeMatch(of: /[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*/) == nil
        }) {
            problems.append(
                "admin.hosts: “\(name)” is not a host name; write names like metrics.example.org, without scheme, port, or wildcard"
            )
        }
        for key in ["face.pack", "face.shadow.pack"] {
            if let name = texts[key], !name.isEmpty, (try? PackID(name)) == nil {
                problems.append("\(key): “\(name)” is not a valid model pack name")
            }
        }
        if let unknown = (texts["authentication.identities"] ?? "").split(separator: ",").map({
            $0.trimmingCharacters(in: .whitespaces)
        })
        .first(where: {
            !["", "biometric", "login_id", "oauth", "anonymous", "passkey", "siwe", "ldap"]
                .contains($0)
        }) {
            problems.append(
                "authentication.identities: unknown value “\(unknown)”; use biometric or passkey (login_id, oauth, anonymous, siwe, and ldap are accepted but have no effect)"
            )
        }
        problems += Self.identityProblems(texts)
        problems += KeySettings.problems(texts)
        problems += RelyingPartySettings.problems(
            id: texts["webauthn.rp_id"] ?? "", origins: Self.list(texts["webauthn.origins"] ?? ""),
            publicURL: texts["public_url"] ?? "")
        if texts["mail.security"] == "none", let host = texts["mail.host"],
            !["", "localhost", "127.0.0.1", "::1"].contains(host)
        {
            problems.append(
                "mail.security: none sends codes in the clear; it is allowed only for a relay on this machine"
            )
        }
        if let sender = texts["mail.from"], MailAddress(sender) == nil {
            problems.append("mail.from must be an address like mien@example.org, not “\(sender)”")
        }
        if let name = texts["mail.from_name"], name.utf8.count > 200 || !name.isPrintable {
            problems.append("mail.from_name must be one line of at most 200 bytes")
        }
        if let name = texts["mail.ehlo_name"], !name.isEmpty, MailAddress("mien@\(name)") == nil {
            problems.append(
                "mail.ehlo_name must be a host name like mail.example.org, not “\(name)”")
        }
        if texts["mail.token_file"] != "", texts["mail.user"] == "" {
            problems.append("mail.token_file needs mail.user, the account whose token it is")
        }
        if texts["webhook.hosts"] != "",
            (texts["webhook.secret"] ?? "").utf8.count < Self.minWebhookSecret
        {
            problems.append(
                """
                webhook.secret must have at least \(Self.minWebhookSecret) characters when webhook.hosts lists hosts, \
                because they verify calls with it; generate one with: openssl rand -hex 32
                """)
        }
        for key in ["webhook.former_secret", "identity.http.former_secret"] {
            guard let secret = texts[key], !secret.isEmpty,
                secret.utf8.count < Self.minWebhookSecret
            else { continue }
            problems.append(
                "\(key) must have at least \(Self.minWebhookSecret) characters, because it still signs; empty it when nobody verifies with it"
            )
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        self.texts = texts
        credentials = environment["CREDENTIALS_DIRECTORY"]
    }

    /// The admin API accepts credentials that open everything, so it never leaves the machine
    /// unencrypted.
    private static func adminProblem(_ texts: [String: String]) -> String? {
        let text = texts["admin.listen"] ?? ""
        guard let address = ListenAddress(text) else {
            return "admin.listen must be a host and a port, like 127.0.0.1:8081, not “\(text)”"
        }
        if address.port != 0, address.port == texts["port"].flatMap({ Int($0) }),
            address.host == texts["host"]
        {
            return
                "admin.listen and host, port are the same address; give the admin API a port of its own"
        }
        guard address.isLoopback || texts["tls.key"] != "" else {
            return """
                admin.listen: \(address) is reachable from other machines and requires TLS; set tls.certificate and tls.key, \
                or listen on 127.0.0.1:\(address.port)
                """
        }
        return nil
    }

    /// Cookies of the portal open everything that a role permits, so they cross networks only
    /// encrypted.
    /// The pages and their cookies belong to a whole host, so that no other app behind the same proxy
    /// shares them.
    private static func publicURLProblem(_ url: String) -> String? {
        let example = "like https://login.example.org"
        guard !url.isEmpty else { return nil }
        guard ["http://", "https://"].contains(where: url.hasPrefix),
            let parts = URLComponents(string: url), RelyingPartySettings.origin(url) != nil
        else { return "public_url must be a URL \(example), with a lowercase https:// or http://" }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            return "public_url must be a URL \(example), without a user, a query, or a fragment"
        }
        guard parts.path != "/" else {
            return "public_url must be a URL \(example), without a trailing slash"
        }
        guard parts.path.isEmpty else {
            return
                "public_url has a path, \(parts.path): Mien's pages cannot be served below one. Give the server a host name of its own, \(example), and let the proxy pass on all of its paths"
        }
        return nil
    }

    private static func portalProblem(_ url: String) -> String? {
        guard !url.isEmpty else { return nil }
        guard let (origin, host) = RelyingPartySettings.origin(url), origin == url,
            url.hasPrefix("https://") || host == "localhost" || host == "127.0.0.1"
        else {
            return
                "admin.url must be an origin like https://admin.example.org, without a path or trailing slash; http is allowed for localhost only"
        }
        return nil
    }

    private static func identityProblems(_ texts: [String: String]) -> [String] {
        var problems: [String] = []
        for (key, allowed) in [
            ("identity.sources", IdentitySourceName.allCases.map(\.rawValue)),
            ("identity.countries", Country.allCases.map(\.rawValue)),
            ("identity.issuers", DocumentIssuer.all.map(\.rawValue)),
            ("identity.documents", IdentityDocumentType.allCases.map(\.rawValue)),
        ] {
            if let unknown = list(texts[key] ?? "").first(where: { !allowed.contains($0) }) {
                problems.append(
                    "\(key): unknown value “\(unknown)”; allowed are \(allowed.joined(separator: ", "))"
                )
            }
        }
        if list(texts["identity.sources"] ?? "").contains(IdentitySourceName.http.rawValue) {
            for key in ["identity.http.url", "identity.http.mapping"] where texts[key] == "" {
                problems.append("\(key) is required when identity.sources contains http")
            }
            if (texts["identity.http.secret"] ?? "").utf8.count < minWebhookSecret {
                problems.append(
                    "identity.http.secret must have at least \(minWebhookSecret) characters, because the service verifies requests with it; generate one with: openssl rand -hex 32"
                )
            }
        }
        return problems
    }

    /// The files of the configuration that settings name, by the setting's key: neither folders nor
    /// what opens the master keys or the database.
    public var namedFiles: [(key: String, path: String)] {
        ServerSetting.all.compactMap { setting in
            guard case .path = setting.kind, !setting.key.hasPrefix("key."),
                setting.key != "store.password_file",
                !["data", "packs", "mail.outbox", "face.cache"].contains(setting.key),
                let path = texts[setting.key], !path.isEmpty
            else { return nil }
            return (setting.key, path)
        }
    }

    /// Every setting with its value in effect. Secrets are not hidden.
    package var inEffect: [(setting: ServerSetting, value: String)] {
        ServerSetting.all.map { ($0, texts[$0.key]!) }
    }

    /// The complete configuration in the file's format, with secrets hidden.
    public var printed: String {
        var lines: [String] = [], open: [Substring] = []
        for setting in ServerSetting.all {
            let parts = setting.key.split(separator: "."), sections = parts.dropLast()
            for depth in sections.indices where open.prefix(depth + 1) != sections.prefix(depth + 1)
            {
                open = Array(sections.prefix(depth + 1))
                lines.append(String(repeating: "  ", count: depth) + "\(sections[depth]):")
            }
            open = Array(sections)
            let text = texts[setting.key]!
            let value = setting.isSecret && !text.isEmpty ? Self.hidden : text
            let indent = String(repeating: "  ", count: sections.count)
            lines.append(
                "\(indent)\(parts.last!): \(Self.yaml(value, setting.kind))  # \(setting.variable): \(setting.meaning)"
            )
        }
        return lines.joined(separator: "\n")
    }

    private static func yaml(_ value: String, _ kind: ServerSetting.Kind) -> String {
        switch kind {
        case .flag: value
        case .integer, .number:
            // Without quotes, only what YAML would write alike can be read again.
            [Int(value).map { "\($0)" }, Double(value).map { "\($0)" }].contains(value)
                ? value : "\"\(value)\""
        case .list:
            "[" + value.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        case .text, .path, .choice:
            "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
    }

    private static func problem(_ text: String, _ setting: ServerSetting, name: String) -> String? {
        guard !setting.isSecret || text != hidden else {
            return
                "\(name) is \(hidden), which --print-config shows in place of a secret; write the secret itself, or leave the setting out"
        }
        return switch setting.kind {
        case .integer(let range):
            Int(text).map(range.contains) == true
                ? nil
                : "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”"
        case .number(let range):
            Double(text).map(range.contains) == true
                ? nil
                : "\(name) must be a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”"
        case .flag:
            ["true", "false"].contains(text) ? nil : "\(name) must be true or false, not “\(text)”"
        case .choice(let words):
            words.contains(text)
                ? nil : "\(name) must be one of \(words.joined(separator: ", ")), not “\(text)”"
        case .text, .path, .list:
            text.contains(where: \.isNewline) ? "\(name) has more than one line" : nil
        }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            !$0.isEmpty
        }
    }

    func text(_ key: String) -> String { texts[key]! }
    private func integer(_ key: String) -> Int { Int(texts[key]!)! }

    public var dataFolder: URL { URL(filePath: text("data"), directoryHint: .isDirectory) }
    /// The address of the PostgreSQL database; `nil` for a file in the data folder.
    public var storeURL: String? { text("store.url").isEmpty ? nil : text("store.url") }
    public var storePasswordFile: String? {
        text("store.password_file").isEmpty ? nil : text("store.password_file")
    }
    public var storeConnections: Int { integer("store.connections") }
    package var keys: KeySettings { KeySettings(texts) }
    /// The folder of compiled networks.
    package var networkCache: URL {
        URL(filePath: text("face.cache"), directoryHint: .isDirectory)
    }
    public var packs: URL { URL(filePath: text("packs"), directoryHint: .isDirectory) }
    public var host: String { text("host") }
    public var port: Int { integer("port") }
    public var adminListen: ListenAddress { ListenAddress(text("admin.listen"))! }
    /// The URL of the admin portal.
    ///
    /// - Parameter port: The port that the admin listener has.
    package func adminURL(port: Int) -> String {
        if !text("admin.url").isEmpty { return text("admin.url") }
        let listen = adminListen
        guard !listen.isLoopback else {
            // Browsers have no passkeys for addresses.
            let isUsual = ["localhost", "127.0.0.1", "::1"].contains(listen.host.lowercased())
            return "http://\(isUsual ? "localhost" : listen.hostInURL):\(port)"
        }
        let host = publicURL.flatMap { RelyingPartySettings.origin($0)?.host } ?? listen.hostInURL
        return "https://\(host)\(port == 443 ? "" : ":\(port)")"
    }
    /// The names, besides `localhost`, under which the admin API is reached.
    package var adminHosts: [String] {
        let portal = RelyingPartySettings.origin(adminURL(port: 0))?.host
        return [adminListen.host] + [portal].compactMap { $0 } + Self.list(text("admin.hosts"))
    }
    /// Whether the admin API takes its callers' addresses from a proxy.
    package var adminTrustsProxy: Bool { text("admin.trust_proxy") == "true" }
    /// `nil` if it is derived from the listening address.
    public var publicURL: String? { text("public_url").isEmpty ? nil : text("public_url") }
    public var tls: (certificate: String, key: String)? {
        text("tls.key").isEmpty ? nil : (text("tls.certificate"), text("tls.key"))
    }
    public var logLevel: String { text("log.level") }
    public var logsJSON: Bool { text("log.json") == "true" }
    package var changeRule: ChangeRule { ChangeRule(freshSeconds: integer("fresh_seconds")) }
    public var shutdownSeconds: Int { integer("shutdown_seconds") }
    /// `nil` chooses among the installed packs.
    public var pack: PackID? { try? PackID(text("face.pack")) }
    /// Whether only this machine can connect.
    package var isLocal: Bool { ListenAddress(host: host, port: port).isLoopback }
    public var faceWorkers: Int { integer("face.workers") }
    /// The memory for faces that are searched, in bytes.
    package var galleryBytes: Int { integer("face.gallery_mib") << 20 }
    /// `nil` selects the faster one.
    package var facePrecision: NetworkOptions.Precision? {
        NetworkOptions.Precision(rawValue: text("face.precision"))
    }
    /// Whether the quantized networks are used; they compute the rest in f32.
    package var usesQuantizedNetworks: Bool { text("face.precision") == "int8" }
    public var faceThreshold: Double { Double(text("face.threshold"))! }
    /// The pack in shadow mode; `nil` for none.
    package var shadowPack: PackID? { try? PackID(text("face.shadow.pack")) }
    /// The threshold in shadow mode; `nil` for none.
    package var shadowThreshold: MatchScore? {
        let score = Double(text("face.shadow.threshold"))!
        return score > 0 ? MatchScore(score) : nil
    }
    /// The mode of the presentation check in shadow mode; `nil` for none.
    package var shadowPresentation: PresentationMode? {
        PresentationMode(rawValue: text("face.shadow.presentation")).flatMap {
            $0 == .off ? nil : $0
        }
    }
    /// The least probability of a face that it accepts, 0...1.
    package var shadowPresentationThreshold: Double {
        Double(text("face.shadow.presentation_threshold"))!
    }
    public var faceQuality: Int { integer("face.quality") }
    /// The policy where apps do not set their own.
    public var liveness: LivenessPolicy {
        LivenessPolicy(
            mode: LivenessPolicy.Mode(rawValue: text("face.liveness.mode")),
            threshold: integer("face.liveness.threshold"), quality: faceQuality,
            timeoutSeconds: integer("face.liveness.timeout_seconds"))
    }
    /// `nil` leaves the mode to the pack and the age of the installation.
    package var presentation: PresentationMode? {
        PresentationMode(rawValue: text("face.presentation"))
    }
    /// Whether the server starts although people have faces of a pack that is not installed.
    package var allowsMissingPacks: Bool { text("face.missing_packs") == "true" }
    public var replayDays: Int { integer("face.liveness.replay_days") }
    public var liveFrames: Int { integer("capture.live_frames") }
    public var liveSessions: Int { integer("capture.live_sessions") }
    public var captureSeconds: Int { integer("capture.seconds") }
    public var captureFrames: Int { integer("capture.frames") }
    public var captureBytes: Int { integer("capture.max_bytes") }
    public var mailOutbox: URL { URL(filePath: text("mail.outbox"), directoryHint: .isDirectory) }
    public var bodyBytes: Int { integer("limit.body_bytes") }
    public var startsPerMinute: Int { integer("limit.starts_per_minute") }
    public var requestsPerMinute: Int { integer("limit.requests_per_minute") }
    package var liveCapturesPerMinute: Int { integer("limit.live_captures_per_minute") }
    public var guessesPerMinute: Int { integer("limit.guesses_per_minute") }
    public var connections: Int { integer("limit.connections") }
    public var connectionsPerAddress: Int { integer("limit.connections_per_address") }
    public var requestSeconds: Int { integer("limit.request_seconds") }
    package var verificationsPerAddress: Int { integer("limit.verifications_per_address") }
    package var verificationBytes: Int { integer("limit.verification_mib") << 20 }
    package var queueWaitSeconds: Int { integer("limit.queue_wait_seconds") }
    public var trustsProxy: Bool { text("trust_proxy") == "true" }
    package var identities: [String] { Self.list(text("authentication.identities")) }
    package var relyingParty: RelyingPartySettings {
        RelyingPartySettings(
            id: text("webauthn.rp_id").isEmpty ? nil : text("webauthn.rp_id"),
            origins: Self.list(text("webauthn.origins")))
    }
    package var takesAppRegistrations: Bool { text("apps.registration") == "true" }
    package var listsDeviceKeys: Bool { text("identity.biometric.list_enabled") == "true" }
    package var identitySources: [IdentitySourceName] {
        IdentitySourceName.allCases.filter(
            Self.list(text("identity.sources")).map(IdentitySourceName.init).contains)
    }
    /// The service of the source `http`: its URL, the path of the mapping, and how to connect.
    package var identityHTTP:
        (
            url: String, mapping: String, secret: Sensitive<String>,
            formerSecret: Sensitive<String>?, timeout: Duration, mayBePrivate: Bool,
            authorities: String?
        )
    {
        (
            text("identity.http.url"), text("identity.http.mapping"),
            Sensitive(text("identity.http.secret")),
            text("identity.http.former_secret").isEmpty
                ? nil : Sensitive(text("identity.http.former_secret")),
            .seconds(integer("identity.http.timeout_seconds")),
            text("identity.http.allow_private") == "true",
            text("identity.http.ca").isEmpty ? nil : text("identity.http.ca")
        )
    }
    package var identityRequired: VerificationMethod {
        VerificationMethod(rawValue: text("identity.required")) ?? .knowledgeOfPII
    }
    package var identityCountries: Set<Country> {
        let named = Set(Self.list(text("identity.countries")).compactMap(Country.init))
        return named.isEmpty ? Set(Country.allCases) : named
    }
    /// The issuers whose documents are accepted. By default, the countries whose people are, because
    /// `identity.countries` limits both unless the deployment says otherwise.
    package var identityIssuers: Set<DocumentIssuer> {
        for key in ["identity.issuers", "identity.countries"] {
            let named = Set(Self.list(text(key)).compactMap(DocumentIssuer.init(rawValue:)))
            if !named.isEmpty { return named }
        }
        return Set(DocumentIssuer.all)
    }
    package var identityPolicy: VerificationPolicy {
        VerificationPolicy(
            piiAttempts: integer("identity.pii_attempts"),
            documentAttempts: integer("identity.document_attempts"))
    }
    /// The documents that are accepted; empty if none is.
    package var identityDocuments: Set<IdentityDocumentType> {
        Set(Self.list(text("identity.documents")).compactMap(IdentityDocumentType.init(rawValue:)))
    }
    package var identityNeedsFace: Bool { text("identity.face_image") == "true" }
    package var identityPortraitThreshold: Double { Double(text("identity.portrait_threshold"))! }
    package var identityDocumentWorkers: Int { integer("identity.document_workers") }
    package var identityAge: AgeRule { AgeRule(minimumYears: integer("identity.minimum_age")) }
    package var identityLooksForCopies: Bool {
        text("identity.copy_checks") == "true"
    }
    package var identityRetentionDays: Int { integer("identity.retention_days") }
    package var identityResultRetentionDays: Int { integer("identity.result_retention_days") }
    package var identityDocumentWork: (room: Int, workers: Int, patience: Duration) {
        (
            integer("identity.document_queue"), identityDocumentWorkers,
            .seconds(integer("identity.document_wait_seconds"))
        )
    }
    package var identityNeedsConsent: Bool { text("identity.consent") == "true" }
    package var identityNeedsSecondReviewer: Bool { text("identity.second_reviewer") == "true" }
    /// `nil` for the server's own text.
    package var identityConsentText: String? {
        text("identity.consent_text").isEmpty ? nil : text("identity.consent_text")
    }
    /// `nil` for the standard rules.
    package var identityRules: String? {
        text("identity.rules").isEmpty ? nil : text("identity.rules")
    }
    /// `nil` for the standard table.
    package var identityShortNames: String? {
        text("identity.short_names").isEmpty ? nil : text("identity.short_names")
    }
    public var auditsClients: Bool { text("audit.clients") == "true" }
    package var recoveryPolicy: RecoveryPolicy {
        RecoveryPolicy(holdHours: integer("recovery.hold_hours"))
    }
    /// `nil` keeps entries forever.
    package var auditRetentionDays: Int? {
        integer("audit.retention_days") == 0 ? nil : integer("audit.retention_days")
    }
    public var tokenRotateDays: Int { integer("token.rotate_days") }
    public var webhookHosts: [String] {
        Self.list(text("webhook.hosts")).map { $0.lowercased() }
    }
    public var webhooksMayBePrivate: Bool { text("webhook.allow_private") == "true" }
    public var webhookSecret: Sensitive<String> { Sensitive(text("webhook.secret")) }
    /// `nil` unless receivers are changing to ``webhookSecret``.
    package var webhookFormerSecret: Sensitive<String>? {
        text("webhook.former_secret").isEmpty ? nil : Sensitive(text("webhook.former_secret"))
    }
    package var attestationRoots: String? {
        text("attestation.roots").isEmpty ? nil : text("attestation.roots")
    }
    package var attestationRevoked: String? {
        text("attestation.revoked").isEmpty ? nil : text("attestation.revoked")
    }
    package var webhookAuthorities: String? {
        text("webhook.ca").isEmpty ? nil : text("webhook.ca")
    }
    public var passwordWorkers: Int { integer("password.workers") }
    package var passwordPolicy: PasswordPolicy {
        PasswordPolicy(minimumLength: integer("password.minimum_length"))
    }
    package var passwordCost: PasswordHasher.Cost {
        .init(memory: integer("password.memory_kib"), passes: integer("password.passes"))
    }

    /// The SMTP relay, or `nil` if mails are written to the outbox.
    package var relay: MailRelay? {
        guard !text("mail.host").isEmpty else { return nil }
        return MailRelay(
            host: text("mail.host"), port: integer("mail.port"),
            security: MailRelay.Security(rawValue: text("mail.security"))!,
            login: mailLogin,
            from: mailFrom, fromName: mailFromName,
            ownName: text("mail.ehlo_name").isEmpty ? nil : text("mail.ehlo_name"),
            authorities: text("mail.ca").isEmpty ? nil : text("mail.ca"))
    }
    private var mailLogin: MailRelay.Login? {
        let user = text("mail.user"), file = text("mail.token_file")
        let password = Sensitive(text("mail.password"))
        if user.isEmpty { return nil }
        return file.isEmpty
            ? .init(user: user, secret: .password(password))
            : .init(user: user, secret: .tokenFile(file), unusedPassword: password)
    }
    package var mailFromName: String { text("mail.from_name") }
    package var mailFrom: MailAddress { MailAddress(text("mail.from"))! }
}
