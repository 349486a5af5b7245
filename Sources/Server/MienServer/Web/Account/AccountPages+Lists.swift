internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The account page itself: one section for each kind of thing that a user has.
extension AccountPages {
    func show(_ user: User, _ request: Request, _ context: MienRequestContext) async throws
        -> Response
    {
        let texts = user.view.texts
        let all = try await pages.store.read { try $0.apps.all() }
        let names = Dictionary(all.map { ($0.id.text, $0.name) }) { first, _ in first }
        // `nil` if the server does not show this kind of authenticator.
        func list(_ path: String) async throws -> [JSONValue]? {
            do {
                return try await api.send(.get, path, as: user.signIn, from: context)["items"]?
                    .arrayValue ?? []
            } catch let problem as Problem where problem.status == 403 || problem.status == 404 {
                return nil
            }
        }
        func time(_ item: JSONValue, _ key: String) -> String {
            item[key]?.numberValue.map { day(Int64($0), texts.language.tag) } ?? ""
        }
        func app(_ item: JSONValue) -> String {
            // The apps that share a face, or the app.
            let ids = item["app_ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
            guard ids.isEmpty else {
                return ids.map { (names[$0] ?? $0).isolated }.joined(separator: ", ")
            }
            guard let id = item["app_id"]?.stringValue else { return "" }
            return names[id] ?? (id.hasPrefix("fgr_") ? texts("account_shared_face") : id)
        }
        func added(_ item: JSONValue) -> String {
            texts("account_added", ["date": time(item, "created_at")])
        }
        func section(
            _ key: String, _ rows: [PageValue]?, add: PageValue = false
        ) -> PageValue? {
            guard let rows else { return nil }
            return [
                "title": .text(texts("account_\(key)")), "id": .text(key),
                "rows": .list(rows), "is_empty": .flag(rows.isEmpty),
                "empty": .text(texts("account_\(key)_empty")), "add": add,
            ]
        }
        func row(
            _ kind: Kind, _ id: String, _ title: String, _ details: [String],
            tag: String? = nil, canRemove: Bool = true
        ) -> PageValue {
            [
                "open": false,
                "title": .text(title),
                "detail": .text(details.filter { !$0.isEmpty }.joined(separator: " · ")),
                "tag": .optional(tag),
                "remove": canRemove
                    ? .text(
                        "/account/remove/\(kind.rawValue)/\(PercentEncoding.encode(id))?\(user.query)"
                    ) : false,
                "remove_label": .text(
                    texts(
                        kind == .signin ? "account_end_named" : "account_remove_named",
                        ["name": title])),
                "remove_word": .text(texts(kind == .signin ? "button_end" : "button_remove")),
            ]
        }
        let faces = try await list("/v1/me/faces"), passkeys = try await list("/v1/me/passkeys"),
            tokens = try await list("/v1/me/otp/tokens"),
            keys = try await list("/v1/me/biometrics"),
            devices = try await list("/v1/me/devices"),
            signIns = try await list("/v1/me/sign-ins"),
            consents = try await list("/v1/me/consents")
        let codes = try await api.send(
            .get, "/v1/me/recovery-codes", as: user.signIn, from: context)
        let remaining = Int(codes["remaining"]?.numberValue ?? 0)
        func id(_ item: JSONValue) -> String { item["id"]?.stringValue ?? "" }
        let openable = try await openable(all, by: user)
        let sections: [PageValue?] = [
            openable.isEmpty
                ? nil
                : section(
                    "apps",
                    openable.map { app, address in
                        [
                            "title": .text(app.name), "detail": "", "tag": false,
                            "remove": false, "open": .text(address),
                            "open_label": .text(texts("account_open_named", ["name": app.name])),
                        ]
                    }),
            section(
                "faces",
                faces?.map { row(.face, id($0), app($0), [added($0)]) },
                add: ["face": true, "label": .text(texts("account_add_face"))]),
            section(
                "passkeys",
                passkeys?.map {
                    row(
                        .passkey, id($0),
                        $0["name"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
                            ?? texts("account_passkey"), [added($0)])
                },
                add: pages.passkeys.areOffered
                    ? ["passkey": true, "label": .text(texts("account_add_passkey"))] : false),
            section(
                "tokens",
                tokens?.map {
                    row(.token, id($0), app($0), [$0["name"]?.stringValue ?? "", added($0)])
                },
                add: [
                    "link": .text("/account/authenticator?\(user.query)"),
                    "label": .text(texts("account_add_authenticator")),
                ]),
            section(
                "biometrics",
                keys?.map {
                    row(
                        .biometric, $0["key_id"]?.stringValue ?? "",
                        $0["name"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
                            ?? texts("account_biometrics"), [added($0)])
                }),
            section(
                "signins",
                signIns?.map { item in
                    let isCurrent = item["is_current"]?.boolValue == true
                    return row(
                        .signin, id(item),
                        item["app_id"] == nil
                            ? texts("account_browser")
                            : item["app_name"]?.stringValue ?? app(item),
                        [texts("account_signed_in", ["date": time(item, "signed_in_at")])],
                        tag: isCurrent ? texts("account_this_browser") : nil)
                },
                add: (signIns ?? []).count > 1
                    ? [
                        "link": .text("/account/remove/others/all?\(user.query)"),
                        "label": .text(texts("account_end_others")),
                    ] : false),
            section(
                "devices",
                devices?.map {
                    row(
                        .device, id($0),
                        $0["name"]?.stringValue ?? texts("account_device", ["app": app($0)]),
                        [texts("account_used", ["date": time($0, "used_at")])])
                }),
            section(
                "consents",
                consents.map(Self.current)?.map { ofApp in
                    row(
                        .consent, ofApp[0]["app_id"]?.stringValue ?? "", app(ofApp[0]),
                        ofApp.map { consent in
                            let date = time(consent, "given_at")
                            guard let scope = consent["scope"]?.stringValue else {
                                return texts(
                                    "account_consent_given",
                                    [
                                        "date": date,
                                        "version": consent["text_version"]?.stringValue ?? "",
                                    ])
                            }
                            return texts(
                                "account_permission_given",
                                [
                                    "date": date,
                                    "scopes": user.view.scopes(
                                        scope.split(separator: " ").map(String.init)
                                    ).joined(separator: ", "),
                                ])
                        })
                }),
        ]
        let done = request.uri.queryParameters["done"].map(String.init).flatMap {
            $0.hasPrefix("account_done_") && texts.has($0) ? texts($0) : nil
        }
        return pages.renderer.response(
            WebPage(
                template: "account", title: texts("account_title"),
                values: [
                    "name": .text(user.found.account.shownName ?? ""),
                    "signed_in_as": .text(
                        texts(
                            "permission_as", ["name": user.found.account.shownName ?? ""])),
                    "done": .optional(done), "sections": .list(sections.compactMap { $0 }),
                    "codes_text": .text(
                        texts("account_codes_remaining", ["count": "\(remaining)"])),
                    "has_codes": .flag(remaining > 0),
                    "query": .text(user.query),
                ], scripts: ["account.js"],
                scriptTexts: ["button_"]), for: user.view)
    }

    /// The apps that the person can open from here, each with the address where it begins a sign-in:
    /// those of the operator, and those of others that the person has let know them.
    private func openable(_ apps: [AppRecord], by user: User) async throws -> [(
        app: AppRecord, address: String
    )] {
        let account = user.found.account.id, issuer = pages.publicURL()
        let candidates = apps.compactMap { app in
            app.settings.hasSignInPage
                ? app.settings.loginAddress(issuer: issuer).map { (app: app, address: $0) } : nil
        }
        return try await pages.store.read { tables in
            try candidates.filter {
                try $0.app.isFirstParty
                    || tables.permissions.scope(of: account, app: $0.app.id) != nil
            }
        }
    }

    /// The consents and permissions that have not been withdrawn, by app: withdrawing ends all of
    /// an app. Each purpose counts once, as it was agreed to last.
    private static func current(_ consents: [JSONValue]) -> [[JSONValue]] {
        var apps: [String] = [], byApp: [String: [String: JSONValue]] = [:]
        for consent in consents where consent["withdrawn_at"]?.numberValue == nil {
            let app = consent["app_id"]?.stringValue ?? ""
            if byApp[app] == nil { apps.append(app) }
            byApp[app, default: [:]][consent["purpose"]?.stringValue ?? ""] = consent
        }
        return apps.map { app in
            (byApp[app] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// A day in the person's language.
    private func day(_ milliseconds: Int64, _ language: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: language)
        formatter.timeZone = TimeZone(identifier: "UTC")
        (formatter.dateStyle, formatter.timeStyle) = (.medium, .none)
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
