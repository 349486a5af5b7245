internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The document page: a link opens it, and its script takes the pictures of a document and a live
/// capture of the face by the routes of `/v1/verification`.
extension WebPages {
    func addDocument(to router: Router<MienRequestContext>) {
        router.get("verify/document") { request, _ in
            let browser = sessions.browser(request)
            let view = view(of: browser, request, app: try await held(request)?.session.app)
            let page = WebPage(
                template: "verify", title: view.texts("document_heading"),
                scripts: ["document.js"],
                // The names of the texts that explain the reasons of the API.
                data: [
                    "reasons": .object(
                        Dictionary(
                            uniqueKeysWithValues: RecaptureReason.allCases.map {
                                ($0.sessionWord, JSONValue.string($0.rawValue))
                            }))
                ],
                scriptTexts: [
                    "button_", "capture_", "guidance_", "action_", "refusal_", "camera_",
                    "document_",
                ])
            return marking(browser, renderer.response(page, for: view))
        }
        router.post("verify/document/session") { request, context in
            let body = try await json(request)
            guard let code = body["code"]?.stringValue,
                let held = try await openDocument(code)
            else {
                throw Problem(
                    .noActiveJourney,
                    "This link was used or has expired. Go back to the app and try again.")
            }
            if let handoff = held.target.handoff {
                try await openHandoff(handoff, of: held.target.session, request, context)
            }
            let token = held.target.handoff?.ticket ?? held.target.startToken
            try await documentLinks.remember(
                held.target, browser: sessions.mark(of: sessions.browser(request)), token: token)
            var response = JSONBody.response(try await documentAnswer(held, request))
            response.headers[.setCookie] = sessions.cookies.set(.verification, token)
            return response
        }
        router.get("verify/document/session") { request, _ in
            guard let held = try await held(request) else { throw HTTPError(.notFound) }
            var response = JSONBody.response(try await documentAnswer(held, request))
            // Both sides have agreed: from now on, this device may go on.
            if let handoff = held.target.handoff,
                sessions.cookies.value(.verification, request) == handoff.ticket,
                try await isConfirmed(handoff, of: held.target.session)
            {
                try await documentLinks.remember(
                    held.target, browser: sessions.mark(of: sessions.browser(request)),
                    token: held.target.startToken)
                response.headers[.setCookie] = sessions.cookies.set(
                    .verification, held.target.startToken)
            }
            return response
        }
        router.post("verify/document/finish") { request, _ in
            let body = try await json(request)
            guard let held = try await held(request),
                let token = sessions.cookies.value(.verification, request)
            else { throw HTTPError(.notFound) }
            if try await isEnding(held.target.handoff, of: held.target.session, body) {
                try await verifications.cancelPage(token: held.target.startToken)
            }
            try await documentLinks.forget(
                token: token, browser: sessions.mark(of: sessions.browser(request)))
            return Response(
                status: .noContent,
                headers: [.setCookie: sessions.cookies.removal(.verification)])
        }
        addHandoff(to: router, at: "verify/document") { request in
            guard let held = try await held(request) else { return nil }
            let target = held.target
            return MovingCheck(
                id: target.session, handoff: target.handoff, isOpen: held.session.isOpen
            ) { handoff in
                try await documentLinks.make(
                    .init(
                        session: target.session, startToken: target.startToken, handoff: handoff))
            }
        }
    }

    /// The session that a browser holds.
    private struct Held: Sendable {
        let target: DocumentLinks.Target
        let session: VerificationSessions.Summary
    }

    private func openDocument(_ code: String) async throws -> Held? {
        var target = try await documentLinks.open(code)
        if target == nil, let opened = try await verifications.open(link: code) {
            target = DocumentLinks.Target(
                session: opened.session.text, startToken: opened.startToken)
        }
        guard let target else { return nil }
        return try await verifications.summary(token: target.startToken).map {
            Held(target: target, session: $0)
        }
    }

    private func held(_ request: Request) async throws -> Held? {
        guard let token = sessions.cookies.value(.verification, request),
            let target = try await documentLinks.target(
                token: token, browser: sessions.mark(of: sessions.browser(request))),
            let session = try await verifications.summary(token: target.startToken)
        else { return nil }
        return Held(target: target, session: session)
    }

    /// The facts that the page's script begins with. It asks the API for the rest.
    private func documentAnswer(_ held: Held, _ request: Request) async throws -> JSONValue {
        let app = held.session.app, view = view(request, app: app), texts = view.texts
        var members: [String: JSONValue] = [
            "session_id": .string(held.target.session),
            "app": [
                "name": .string(app.name),
                "logo_url": view.look.logo.map { .string($0) } ?? .null,
            ],
            "consent_texts": .object(
                held.session.standardConsent.map {
                    texts.translations(ofConsent: $0.content, days: $0.retentionDays).mapValues {
                        .string($0)
                    }
                } ?? [:]),
        ]
        if let handoff = held.target.handoff {
            members["handoff"] = try await answer(of: handoff, of: held.target.session, app: app)
        }
        return .object(members)
    }
}
