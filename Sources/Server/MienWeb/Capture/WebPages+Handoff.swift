internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienServerCore
internal import MienServerFaces

/// A capture that moves to a phone: the computer shows a link and a number, the phone shows the
/// number and captures, and the computer goes on.
///
/// Only the browser that holds the capture can begin the move, and only it goes on afterwards. The
/// link works once, for two minutes, until the next one is made. Both sides agree: the phone shows
/// the app, the browser, and the address that asked, so somebody who was sent the link of another
/// person's sign-in sees a number that is on no screen in front of them. Then the computer shows the
/// phone's browser and address, so somebody else who photographs the code cannot take the capture
/// over. Until then, the phone holds a ticket, which starts nothing.
extension WebPages {
    func addHandoff(to router: Router<MienRequestContext>) {
        router.post("verify/handoff") { request, context in
            _ = try await json(request)
            guard let target = try await target(request), target.handoff == nil,
                let summary = try await captures.summary(token: target.startToken),
                summary.answer.status == .known(.open)
            else {
                throw Problem(
                    .captureClosed, "There is no open capture in this browser to move.")
            }
            var generator = SystemRandomNumberGenerator()
            let number = String(Int.random(in: 100...999, using: &generator))
            let ticket = Base64URL.encode(generator.bytes(32))
            let handoff = CaptureLinks.Handoff(
                number: number, ticket: ticket,
                browser: Self.browserName(request.headers[.userAgent]),
                address: context.client.text)
            let link = try await links.make(
                .init(
                    capture: target.capture, startToken: target.startToken, handoff: handoff),
                lifetime: CaptureLinks.handoffLifetime)
            try await links.note(
                CaptureLinks.Move(.waiting, number: number, ticket: ticket), of: target.capture)
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
        router.get("verify/handoff") { request, _ in
            guard let target = try await target(request),
                let move = try await links.move(of: target.capture),
                target.handoff.map({ $0.ticket == move.ticket }) ?? true
            else { throw HTTPError(.notFound) }
            let summary = try await captures.summary(token: target.startToken)
            let isOpen = summary?.answer.status == .known(.open)
            var answer: [String: JSONValue] = [
                "state": .string(isOpen ? move.state.rawValue : "ended"),
                "number": .string(move.number),
            ]
            if target.handoff == nil, move.state == .accepted {
                answer["browser"] = move.browser.map { .string($0) }
                answer["address"] = move.address.map { .string($0) }
            }
            return JSONBody.response(JSONValue.object(answer))
        }
        router.post("verify/handoff/confirm") { request, _ in
            let body = try await json(request)
            guard let target = try await target(request),
                var move = try await links.move(of: target.capture)
            else { throw HTTPError(.notFound) }
            if let handoff = target.handoff {
                guard handoff.ticket == move.ticket, move.state == .opened else {
                    throw Problem(
                        .captureClosed, "The computer shows another code by now. Scan that one.")
                }
                move.state = .accepted
            } else {
                guard move.state == .accepted, body["number"]?.stringValue == move.number else {
                    throw Problem(
                        .captureClosed, "The phone that opened the code has not agreed yet.")
                }
                move.state = .confirmed
            }
            try await links.note(move, of: target.capture)
            return Response(status: .noContent)
        }
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
