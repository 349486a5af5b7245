import ArgumentParser
import MienCore

/// The settings of an app that a command changes. The server checks their ranges.
struct AppSettingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Minimum score that counts as a match, 24 to 72, or “default” for the server's value.",
            valueName: "score"), transform: threshold)
    var faceThreshold: JSONValue?

    @Option(
        help: ArgumentHelp(
            "How long the token of a completed journey is valid, 30 to 3600.", valueName: "seconds")
    )
    var tokenSeconds: Int?

    @Option(
        help: ArgumentHelp(
            "A URI that browsers may be redirected to. Repeatable; replaces all existing URIs.",
            valueName: "url"))
    var redirectUri: [String] = []
    @Flag(help: "Remove all redirect URIs.") var noRedirectUris = false

    @Option(
        help: ArgumentHelp(
            "The origin of a web page that may call the API, such as https://app.example.org. Repeatable; replaces all existing origins.",
            valueName: "origin"))
    var webOrigin: [String] = []
    @Flag(help: "Remove all web origins.") var noWebOrigins = false

    @Option(
        help: ArgumentHelp(
            "A journey that the app may start. Repeatable; replaces all existing journeys.",
            valueName: "id"),
        transform: Word.journey)
    var journey: [JourneyID] = []
    @Flag(help: "Allow the app to start every published journey.") var allJourneys = false

    @Option(
        help: ArgumentHelp(
            "Failures before an authenticator is locked, seconds it stays locked, failures before it is disabled, and “again” for a fresh set of attempts after each lock; or TYPE=default. Repeatable.",
            valueName: "type=n,s,n[,again]"), transform: lock)
    var lock: [Lock] = []

    @OptionGroup var client: AppClientOptions

    @Option(
        help: ArgumentHelp(
            "Any other setting of the API, with JSON or a word as its value: tokens.refresh_token_seconds=3600, biometric.mode=compatible. Repeatable.",
            valueName: "name=value"), transform: setting)
    var setting: [Setting] = []

    struct Setting: Sendable {
        /// The path's components, such as `tokens`, `refresh_token_seconds`.
        let path: [String]
        let value: JSONValue
    }

    struct Lock: Sendable {
        let type: AuthenticatorType
        /// `nil` for the default.
        let policy: JSONValue?
    }

    func validate() throws {
        if noRedirectUris, !redirectUri.isEmpty {
            throw ValidationError("--redirect-uri and --no-redirect-uris cannot be combined")
        }
        if noWebOrigins, !webOrigin.isEmpty {
            throw ValidationError("--web-origin and --no-web-origins cannot be combined")
        }
        if allJourneys, !journey.isEmpty {
            throw ValidationError("--journey and --all-journeys cannot be combined")
        }
    }

    var isEmpty: Bool {
        faceThreshold == nil && tokenSeconds == nil && redirectUri.isEmpty && !noRedirectUris
            && webOrigin.isEmpty && !noWebOrigins
            && journey.isEmpty && !allJourneys && lock.isEmpty
            && client.changes.isEmpty && setting.isEmpty
    }

    /// Returns the server's `settings` with the changes applied.
    func applied(to settings: JSONValue) -> JSONValue {
        var members = settings.objectValue ?? [:]
        if let faceThreshold {
            members["face_threshold"] = faceThreshold.isNull ? nil : faceThreshold
        }
        if let tokenSeconds { members["token_seconds"] = .number(Double(tokenSeconds)) }
        if noRedirectUris || !redirectUri.isEmpty {
            members["redirect_uris"] = .array(redirectUri.map { .string($0) })
        }
        if noWebOrigins || !webOrigin.isEmpty {
            members["web_origins"] = .array(webOrigin.map { .string($0) })
        }
        if allJourneys {
            members["journeys"] = nil
        } else if !journey.isEmpty {
            members["journeys"] = .array(journey.map { .string($0.text) })
        }
        if !lock.isEmpty {
            var locks = members["locks"]?.objectValue ?? [:]
            for change in lock { locks[change.type.rawValue] = change.policy }
            members["locks"] = .object(locks)
        }
        for (name, value) in client.changes { members[name] = value.isNull ? nil : value }
        for change in setting {
            guard change.path.count == 2 else {
                members[change.path[0]] = change.value
                continue
            }
            var inner = members[change.path[0]]?.objectValue ?? [:]
            inner[change.path[1]] = change.value
            members[change.path[0]] = .object(inner)
        }
        return .object(members)
    }

    /// Formats the settings for people.
    static func rows(_ settings: JSONValue) -> [(String, String?)] {
        func list(_ name: String, none: String) -> String {
            guard let values = settings[name]?.arrayValue, !values.isEmpty else { return none }
            return values.compactMap(\.stringValue).joined(separator: ", ")
        }
        let locks = (settings["locks"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map {
            type, policy in
            let numbers = ["failed_attempts", "lockout_seconds", "disable_after"].map {
                policy[$0].map { JSONText.write($0) } ?? "?"
            }
            let again = policy["after_lock"] == "again" ? ",again" : ""
            return "\(type)=\(numbers.joined(separator: ","))\(again)"
        }
        return [
            (
                "face threshold",
                settings["face_threshold"]?.numberValue.map { JSONText.number($0) }
                    ?? "the server's default"
            ),
            ("token seconds", settings["token_seconds"]?.numberValue.map { JSONText.number($0) }),
            ("redirect URIs", list("redirect_uris", none: "none")),
            ("web origins", list("web_origins", none: "none")),
            ("logout URIs", list("post_logout_redirect_uris", none: "none")),
            ("logout notices", settings["backchannel_logout_uri"]?.stringValue),
            ("logout frames", settings["frontchannel_logout_uri"]?.stringValue),
            (
                "journeys",
                settings["journeys"]?.arrayValue == nil
                    ? "all published" : list("journeys", none: "none")
            ),
            ("locks", locks.isEmpty ? "the defaults" : locks.joined(separator: ", ")),
        ]
            + [
                "frontchannel_logout_session_required", "logout_scope", "liveness", "tokens",
                "biometric", "sign_in_page", "sign_in_journey", "pages",
                "resources", "introspection_apps", "client_scopes",
                "device_authorization", "initiate_login_uri", "userinfo_signed_response_alg",
                "client_uri", "policy_uri", "tos_uri", "identity", "duplicate_faces",
                "organizations",
                "requires_dpop", "requires_pkce", "id_token_signed_response_alg",
                "access_token_typ", "token_endpoint_auth_method", "jwks", "jwks_uri",
                "require_pushed_authorization_requests", "require_signed_request_object", "profile",
                "claims",
            ].compactMap { name in
                settings[name].map { (name.replacing("_", with: " "), JSONText.write($0)) }
            }
    }

    @Sendable private static func threshold(_ text: String) throws -> JSONValue {
        if text == "default" { return .null }
        guard let number = Double(text), number.isFinite else {
            throw ValidationError("--face-threshold must be a score or “default”, not “\(text)”")
        }
        return .number(number)
    }

    @Sendable private static func setting(_ text: String) throws -> Setting {
        let parts = text.split(separator: "=", maxSplits: 1),
            path = (parts.first ?? "").split(separator: ".").map(String.init)
        guard parts.count == 2, (1...2).contains(path.count) else {
            throw ValidationError(
                "--setting must look like tokens.refresh_token_seconds=3600, not “\(text)”")
        }
        return Setting(
            path: path, value: (try? JSONText.parse(String(parts[1]))) ?? .string(String(parts[1])))
    }

    @Sendable private static func lock(_ text: String) throws -> Lock {
        let parts = text.split(separator: "=", maxSplits: 1)
        let types = AuthenticatorType.allCases.map(\.rawValue).joined(separator: ", ")
        guard parts.count == 2, let type = AuthenticatorType(rawValue: String(parts[0])) else {
            throw ValidationError(
                "--lock must look like face=5,30,50, not “\(text)”; the types are \(types)")
        }
        if parts[1] == "default" { return Lock(type: type, policy: nil) }
        var words = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        let isAgain = words.count == 4 && words.last == "again"
        if isAgain { words.removeLast() }
        let numbers = words.map { Int($0) }
        guard numbers.count == 3, let attempts = numbers[0], let seconds = numbers[1],
            let disableAfter = numbers[2]
        else {
            throw ValidationError(
                "--lock \(type.rawValue) must be three whole numbers (failures,seconds,failures), optionally followed by “,again”, or “default”, not “\(parts[1])”"
            )
        }
        let policy: [String: Int] = [
            "failed_attempts": attempts, "lockout_seconds": seconds, "disable_after": disableAfter,
        ]
        var members = policy.mapValues { JSONValue.number(Double($0)) }
        if isAgain { members["after_lock"] = "again" }
        return Lock(type: type, policy: .object(members))
    }
}
