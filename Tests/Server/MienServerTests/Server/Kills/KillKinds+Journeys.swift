import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

/// Journeys and their runs.
extension KillKinds {
    struct ConsentUser: Sendable {
        let id: UserID, name: String
        var isGiven = false
    }

    /// Publishes the journeys once, before the first kill.
    static func publishJourneys(_ server: AttackedServer) async throws {
        try await PagesJourney.publish(by: server.admin)
        try await server.publishCodeJourneys()
        _ = try await server.admin.publishJourney(JourneyID("sign-up")!, version: 1)
        let consent = #"""
            {"id": "consent", "version": 1, "title": "Consent", "start": "form", "steps": {
              "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
              "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                "failure_behavior": "abort"}, "on": {"success": "ask"}},
              "ask": {"type": "record_consent", "config": {"text_version": "kills-1", "text": "Your face.", "failure_behavior": "abort"},
                "on": {"success": "done"}},
              "done": {"type": "complete_journey"}}}
            """#
        for (id, text) in [("consent", consent), ("kill-face", Self.faceJourney)] {
            let id = JourneyID(id)!
            _ = try await server.admin.putJourney(id, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(id, version: 1)
        }
    }

    var publishedJourneys: KillKind {
        { client, server in
            let id = JourneyID("kills-\(client.number)")!, version = self.published.value + 1
            let text = #"""
                {"id": "\#(id.text)", "version": \#(version), "title": "Version \#(version)", "start": "form", "steps": {
                  "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
                  "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                    "failure_behavior": "abort"}, "on": {"success": "done"}},
                  "done": {"type": "complete_journey"}}}
                """#
            _ = try await server.admin.putJourney(
                id, version: version, definition: Array(text.utf8))
            @Sendable func live(_ server: AttackedServer) async throws -> [Int] {
                try await server.admin.journeys().filter {
                    $0.id == id.text && $0.state == .known(.published)
                }.map(\.version)
            }
            try await client.write(
                "journeys published", id.text
            ) { server in
                let found = try await live(server)
                if found == [version] {
                    self.published.value = version
                    return .done
                }
                return found == (version == 1 ? [] : [version - 1])
                    ? .notDone : .torn("published versions of \(id.text): \(found)")
            } by: {
                _ = try await server.admin.publishJourney(id, version: version)
                self.published.value = version
                return { server in
                    let found = try await live(server)
                    return found == [self.published.value]
                        ? nil : "published: \(found) instead of \(self.published.value)"
                }
            }
        }
    }

    /// Requests the page after `page` of ``PagesJourney``.
    private static func next(_ state: String, _ server: AttackedServer) async throws -> (
        status: Int, state: String?, page: Int?
    ) {
        let answer = try await server.respond(state, "client_input")
        let page = answer.body["data"]?["text"]?.stringValue.flatMap {
            Int($0.dropFirst("Page ".count))
        }
        return (answer.status, answer.body["state"]?.stringValue, page)
    }

    var steps: KillKind {
        { client, server in
            if self.run.value == nil || self.run.value!.page > PagesJourney.pages - 4 {
                let begun = try await server.start("pages")
                guard let state = begun.body["state"]?.stringValue else {
                    throw KillClient.Refused("pages", begun)
                }
                self.run.value = (state, 1)
            }
            let (state, page) = self.run.value!
            // A repeated response gets the same answer, so a step whose answer was lost counts as a
            // step, too.
            try await client.write(
                "steps of journeys", "run"
            ) { server in
                let again = try await Self.next(state, server)
                guard again.status == 200, again.page == page + 1, let next = again.state else {
                    return .torn("page \(page): \(again)")
                }
                self.run.value = (next, page + 1)
                return .done
            } by: {
                let answer = try await Self.next(state, server)
                guard answer.status == 200, answer.page == page + 1, let next = answer.state else {
                    throw KillClient.Refused("page \(page)", answer)
                }
                self.run.value = (next, page + 1)
                return { server in
                    let (state, page) = self.run.value!, answer = try await Self.next(state, server)
                    guard answer.status == 200, answer.page == page + 1, let next = answer.state
                    else { return "page \(page): \(answer)" }
                    self.run.value = (next, page + 1)
                    return nil
                }
            }
        }
    }

    var consents: KillKind {
        { client, server in
            if self.consentUser.value == nil {
                let (id, name) = try await self.newUser(client, server, "consent")
                self.consentUser.value = ConsentUser(id: id, name: name)
            }
            let user = self.consentUser.value!, gives = !user.isGiven
            @Sendable func isGiven(_ server: AttackedServer) async throws -> Bool {
                try await server.admin.consents(of: user.id).contains { $0.withdrawnAt == nil }
            }
            var ask: String?
            if gives {
                guard let state = try await server.start("consent").body["state"]?.stringValue
                else { throw KillClient.Refused("consent", "start") }
                let asked = try await server.respond(
                    state, "password",
                    ["username": .string(user.name), "password": .string(AttackedServer.password)])
                ask = asked.body["state"]?.stringValue
                guard ask != nil else { throw KillClient.Refused("consent", asked) }
            }
            let next = ask
            try await client.write(
                "consents given or withdrawn", "consent of \(user.name)"
            ) { server in
                let found = try await isGiven(server)
                self.consentUser.value?.isGiven = found
                return found == gives ? .done : .notDone
            } by: {
                if let next {
                    let answer = try await server.respond(next, "client_input")
                    guard answer.body["token"] != nil else {
                        throw KillClient.Refused("consent", answer)
                    }
                } else {
                    try await server.admin.withdrawConsent(of: user.id, to: AttackedServer.app)
                }
                self.consentUser.value?.isGiven = gives
                return { server in
                    let expected = self.consentUser.value!.isGiven
                    return try await isGiven(server) == expected
                        ? nil : "given expected: \(expected)"
                }
            }
        }
    }

    /// A mailed code: its use is recorded, and it cannot be used for anything else.
    var mailedCodes: KillKind {
        { client, server in
            let (id, name) = try await self.newUser(client, server, "mail")
            let state = try await server.waitingForCode("mailed-code", of: name),
                code = try await server.mailedCode(to: name)
            @Sendable func uses(_ server: AttackedServer) async throws -> Int {
                try await Self.events("email_code.accepted", of: id, server)
            }
            try await client.write(
                "mailed codes used", name
            ) { server in
                // Repeating the response returns the same answer if it was processed, and processes
                // it otherwise.
                let before = try await uses(server),
                    answer = try await server.respond(
                        state, "client_input", ["passcode": .string(code)])
                guard answer.body["token"] != nil, try await uses(server) == 1 else {
                    return .torn("\(name): \(before) uses, \(answer)")
                }
                return before == 1 ? .done : .notDone
            } by: {
                let answer = try await server.respond(
                    state, "client_input", ["passcode": .string(code)])
                guard answer.body["token"] != nil else {
                    throw KillClient.Refused("mailed code", answer)
                }
                return { server in
                    let other = try await server.respond(
                        state, "client_input", ["passcode": "00000000"])
                    let same = try await server.respond(
                        state, "client_input", ["passcode": .string(code)])
                    let count = try await uses(server)
                    return other.status == 409 && same.body["token"] != nil && count == 1
                        ? nil : "\(other), \(same), \(count) uses"
                }
            }
        }
    }
}
