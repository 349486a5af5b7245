import ArgumentParser
import Foundation
import Hummingbird
import Logging
import MienAPI
import MienCore

/// A server with one JSON route of Hummingbird, in its own process. `mien-bench server` compares
/// journeys with it.
///
/// It decodes a client's journey response without checking it, and writes a response with the same
/// members and size as a journey's.
struct BareRouteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-route", abstract: "Serve one JSON route for mien-bench server.",
        shouldDisplay: false)

    private struct Answer: ResponseEncodable {
        let answer: JourneyAnswer
        func encode(to encoder: any Encoder) throws { try answer.encode(to: encoder) }
    }

    func run() async throws {
        let router = Router()
        router.post("v1/journeys/respond") { request, context -> Answer in
            let asked = try await request.decode(as: RespondRequest.self, context: context)
            return Answer(
                answer: JourneyAnswer(
                    state: asked.state, journeyStepID: .known(.information),
                    data: ["title": "One", "text": "The first of three."],
                    clientResponseOptions: [
                        "client_input": ClientOptionWire(type: .known(.clientInput), label: "Next")
                    ], expiresAt: 1_800_000_000_000))
        }
        var logger = Logger(label: "bare-route") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                FileHandle.standardOutput.write(
                    Data("Listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n".utf8))
            }, logger: logger)
        try await application.run()
    }
}
