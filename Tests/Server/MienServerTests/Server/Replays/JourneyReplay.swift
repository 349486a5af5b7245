import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

@testable import MienJourney

/// Plays one case of a recorded test against a real server, and compares every answer with the
/// expected one.
struct JourneyReplay {
    var world: ReplayWorld
    let journey: JourneyDefinition
    var problems: [String] = []
    /// The number of mails when the current code was requested.
    private var mails = 0
    /// The code in the last mail, which stays valid until another is requested.
    private var code: String?

    init(_ world: ReplayWorld, _ journey: JourneyDefinition) {
        (self.world, self.journey) = (world, journey)
    }

    mutating func play(_ recorded: RecordedTest.Case) async throws {
        let access: String? =
            if let user = recorded.user { try await world.access(user) } else { nil }
        mails = try world.server.outbox.raw().count
        var answer = try await world.start(
            journey.id.text, access: access, parameters: recorded.parameters)
        for (number, exchange) in recorded.exchanges.enumerated() {
            let path = "step \(number + 1)"
            guard answer["journey_step_id"] == exchange.step else {
                problems.append("\(path): expected \(exchange.step), got \(answer.text)")
                return
            }
            compare(exchange.data, answer.json["data"], "\(path): data")
            let options = answer.json["client_response_options"]?.objectValue ?? [:]
            for option in exchange.options where options[option] == nil {
                problems.append("\(path): expected the option \(option)")
            }
            let next = try await respond(exchange, to: answer)
            guard let code = exchange.error else {
                answer = next
                continue
            }
            if next["code"] != code {
                problems.append("\(path): expected the error \(code), got \(next.text)")
            }
        }
        check(recorded.ending, answer)
    }

    private mutating func respond(_ exchange: RecordedTest.Exchange, to answer: RealServer.Answer)
        async throws -> RealServer.Answer
    {
        if exchange.afterSeconds > 0 {
            try world.clock.advance(.seconds(exchange.afterSeconds))
        }
        if let selfie = exchange.selfie {
            try await world.capture(answer.json, world.photo(of: selfie))
        }
        if let verification = exchange.verification {
            try await world.capture(answer.json, world.photo(endingAs: verification))
        }
        let response = try exchange.response(
            to: answer.json["data"] ?? [:], keys: world.world.keys,
            signature: ReplayWorld.signature)
        var data = named(response.data.use { $0 })
        if data["passcode"]?.stringValue == world.world.passcode {
            if let mailed = try await world.mailedCode(after: mails) { code = mailed }
            if let code, case .object(var members) = data {
                members["passcode"] = .string(code)
                data = .object(members)
            }
        }
        let requestsCode =
            response.option == "resend" || exchange.step == JourneyStepName.loginForm.rawValue
        if requestsCode, exchange.error == nil {
            (mails, code) = (try world.server.outbox.raw().count, nil)
        }
        return try await world.respond(answer["state"], response.option, data)
    }

    // MARK: Comparison

    /// Compares a value with a partial expectation. A recorded ID or challenge stands for the one
    /// that the server drew.
    private mutating func compare(_ expected: JSONValue, _ actual: JSONValue?, _ path: String) {
        switch (expected, actual) {
        case (.object(let members), .object(let others)?):
            for (key, value) in members { compare(value, others[key], "\(path).\(key)") }
        case (.string(let text), .string(let drawn)?)
        where text.wholeMatch(of: /(idv|cap)_[0-9]+|(state|challenge)-[0-9]+/) != nil
            && world.names[text] == nil:
            world.names[text] = drawn
        default:
            if named(expected) != actual {
                problems.append(
                    "\(path): expected \(JSONText.write(named(expected))), got \(actual.map { JSONText.write($0) } ?? "nothing")"
                )
            }
        }
    }

    /// Returns the value with the server's IDs and secrets in place of the recorded ones.
    private func named(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(world.names[text] ?? text)
        case .object(let members): .object(members.mapValues { named($0) })
        case .array(let items): .array(items.map { named($0) })
        case .null, .bool, .number: value
        }
    }

    private mutating func check(_ ending: RecordedTest.Ending, _ answer: RealServer.Answer) {
        switch ending {
        case .success(let user, let amr, let claims):
            guard answer["journey_step_id"] == "success", let token = answer["token"],
                let payload = token.split(separator: ".").dropFirst().first,
                let bytes = Base64URL.decode(payload), let token = try? JSONText.parse(bytes)
            else {
                problems.append("end: expected success, got \(answer.text)")
                return
            }
            if let user, let id = world.world.user(user)?.id.text {
                compare(.string(id), token["sub"], "end: user")
            }
            if let amr { compare(.array(amr.map { .string($0) }), token["amr"], "end: amr") }
            compare(claims, token, "end: claims")
        case .rejection(let reason):
            guard answer["journey_step_id"] == "rejection" else {
                problems.append("end: expected a rejection, got \(answer.text)")
                return
            }
            if let reason {
                compare(.string(reason), answer.json["error_data"]?["reason"], "end: reason")
            }
        }
    }
}
