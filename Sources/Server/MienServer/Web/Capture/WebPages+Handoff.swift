internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// A check that can move to a phone: a capture, or a verification session.
struct MovingCheck: Sendable {
    /// Its ID.
    let id: String
    /// The facts about the first device, in the browser of the second one.
    let handoff: CaptureLinks.Handoff?
    /// Whether it still waits for its person.
    let isOpen: Bool
    /// Makes a link for a second device.
    let link: @Sendable (CaptureLinks.Handoff) async throws -> String
}

/// A check that moves to a phone: the computer shows a link and a number, the phone shows the number
/// and goes on, and the computer continues afterwards.
///
/// Only the browser that holds the check can begin the move, and only it goes on afterwards. The
/// link works once, for two minutes, until the next one is made. Both sides agree: the phone shows
/// the app, the browser, and the address that asked, so somebody who was sent the link of another
/// person's sign-in sees a number that is on no screen in front of them. Then the computer shows the
/// phone's browser and address, so somebody else who photographs the code cannot take the check
/// over. Until then, the phone holds a ticket, which starts nothing.
extension WebPages {
    /// - Parameters:
    ///   - path: The address of the check's page.
    ///   - check: The check that a request's browser holds.
    func addHandoff(
        to router: Router<MienRequestContext>, at path: String,
        check: @escaping @Sendable (Request) async throws -> MovingCheck?
    ) {
        router.post(RouterPath("\(path)/handoff")) { request, context in
            _ = try await json(request)
            guard let check = try await check(request), check.handoff == nil, check.isOpen else {
                throw Problem(.captureClosed, "There is no open check in this browser to move.")
            }
            var generator = SystemRandomNumberGenerator()
            let number = String(Int.random(in: 100...999, using: &generator))
            let ticket = Base64URL.encode(generator.bytes(32))
            let link = try await check.link(
                CaptureLinks.Handoff(
                    number: number, ticket: ticket,
                    browser: Self.browserName(request.headers[.userAgent]),
                    address: context.client.text))
            try await links.note(
                CaptureLinks.Move(.waiting, number: number, ticket: ticket), of: check.id)
            guard let code = QRCode(link) else { throw Problem(.serverError) }
            return JSONBody.response(
                [
                    "link": .string(link), "number": .string(number),
                    "qr": [
                        "size": .number(Double(code.size)), "path": .string(code.path),
                    ],
                    "expires_in": .number(
                        Double(CaptureLinks.handoffLifetime.components.seconds)),
                ] as JSONValue)
        }
        router.get(RouterPath("\(path)/handoff")) { request, _ in
            guard let check = try await check(request),
                let move = try await links.move(of: check.id),
                check.handoff.map({ $0.ticket == move.ticket }) ?? true
            else { throw HTTPError(.notFound) }
            var answer: [String: JSONValue] = [
                "state": .string(check.isOpen ? move.state.rawValue : "ended"),
                "number": .string(move.number),
            ]
            if check.handoff == nil, move.state == .accepted {
                answer["browser"] = move.browser.map { .string($0) }
                answer["address"] = move.address.map { .string($0) }
            }
            return JSONBody.response(JSONValue.object(answer))
        }
        router.post(RouterPath("\(path)/handoff/confirm")) { request, _ in
            let body = try await json(request)
            guard let check = try await check(request),
                var move = try await links.move(of: check.id)
            else { throw HTTPError(.notFound) }
            // A side that has agreed may say so again.
            if let handoff = check.handoff {
                guard handoff.ticket == move.ticket, move.state != .waiting else {
                    throw Problem(
                        .captureClosed, "The computer shows another code by now. Scan that one.")
                }
                guard move.state == .opened else { return Response(status: .noContent) }
                move.state = .accepted
            } else {
                guard [.accepted, .confirmed].contains(move.state),
                    body["number"]?.stringValue == move.number
                else {
                    throw Problem(
                        .captureClosed, "The phone that opened the code has not agreed yet.")
                }
                guard move.state == .accepted else { return Response(status: .noContent) }
                move.state = .confirmed
            }
            try await links.note(move, of: check.id)
            return Response(status: .noContent)
        }
    }

    // MARK: On the second device

    /// Notes that the second device has opened its link.
    func openHandoff(
        _ handoff: CaptureLinks.Handoff, of check: String, _ request: Request,
        _ context: MienRequestContext
    ) async throws {
        guard var move = try await links.move(of: check), move.ticket == handoff.ticket,
            move.state == .waiting
        else {
            throw Problem(
                .noActiveJourney,
                "This code was replaced by another one. Scan the one that the computer shows.")
        }
        move.state = .opened
        move.browser = Self.browserName(request.headers[.userAgent])
        move.address = context.client.text
        try await links.note(move, of: check)
    }

    /// Whether both sides have agreed.
    func isConfirmed(_ handoff: CaptureLinks.Handoff, of check: String) async throws -> Bool {
        guard let move = try await links.move(of: check) else { return false }
        return move.ticket == handoff.ticket && move.state == .confirmed
    }

    /// Whether a browser that finishes ends the check for both: its person wants that, or both sides
    /// have not agreed.
    func isEnding(_ handoff: CaptureLinks.Handoff?, of check: String, _ body: JSONValue)
        async throws -> Bool
    {
        if body["cancel"]?.boolValue == true { return true }
        guard let handoff else { return false }
        return try await !isConfirmed(handoff, of: check)
    }

    /// The facts that the second device's page shows.
    func answer(of handoff: CaptureLinks.Handoff, of check: String, app: AppRecord) async throws
        -> JSONValue
    {
        let move = try await links.move(of: check)
        return [
            "state": move.flatMap {
                $0.ticket == handoff.ticket ? .string($0.state.rawValue) : nil
            } ?? .null,
            "number": .string(handoff.number), "app": .string(app.name),
            "browser": .string(handoff.browser), "address": .string(handoff.address),
        ]
    }

    /// A browser's name and system, as people call them.
    static func browserName(_ agent: String?) -> String {
        let agent = agent ?? ""
        let browsers = [
            ("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("FxiOS", "Firefox"),
            ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
        ]
        let systems = [
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
            ("Mac OS X", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
        ]
        let browser = browsers.first { agent.contains("\($0.0)/") }?.1
        let system = systems.first { agent.contains($0.0) }?.1
        let words = [browser, system].compactMap { $0 }
        return words.isEmpty ? "?" : words.joined(separator: ", ")
    }
}
