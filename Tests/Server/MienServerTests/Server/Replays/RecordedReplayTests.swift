import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienJourney

/// Plays the recorded tests of the example journeys against a real server, so that the simulator
/// cannot drift away from it.
@Suite("Recorded tests on a real server", .enabled(if: Installed.isThere, Installed.reason))
struct RecordedReplayTests {
    private static let folder = Repository.root.appending(path: "Examples/Journeys")
    /// The sample that needs a server with documents: ``SessionJourneyTests``.
    private static let withDocuments = "document-registration.json"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: file)))
    }

    @Test("every case of every recorded test ends on the server as it does in the simulator")
    func all() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        let clock = try ProcessClock(in: scratch)
        let settings = clock.environment.merging(["MIEN_FACE_LIVENESS_MODE": "image"]) { $1 }
        try await RealServer.run(in: scratch, settings) { server in
            for file in files where !file.hasSuffix(".test.json") && file.hasSuffix(".json") {
                guard file != Self.withDocuments else { continue }
                try await publish(file, by: server.admin)
            }
            var count = 0
            for file in files where file.hasSuffix(".test.json") {
                let source = try JSONText.parse(
                    Self.bytes(file), limits: .init(maxBytes: 1 << 20, maxDepth: 32))
                let test = try RecordedTest(source)
                guard case .path(let path) = test.journey, path != Self.withDocuments else {
                    continue
                }
                let journey = try JourneyDefinition.parse(Self.bytes(path))
                for recorded in test.cases {
                    let world = try await ReplayWorld(test, source: source, on: server, clock)
                    var replay = JourneyReplay(world, journey)
                    try await replay.play(recorded)
                    #expect(replay.problems == [], "\(file): \(recorded.name)")
                    try await clear(server, clock)
                    count += 1
                }
            }
            #expect(count > 35, "the examples have fewer cases than expected")
        }
    }

    /// Publishes a journey that a new server does not have.
    private func publish(_ file: String, by admin: MienAdmin) async throws {
        let journey = try JourneyDefinition.parse(Self.bytes(file))
        let known = try await admin.journeys().first {
            $0.id == journey.id.text && $0.version == journey.version
        }
        if known == nil {
            _ = try await admin.putJourney(
                journey.id, version: journey.version, definition: Self.bytes(file))
        }
        if known?.state != .known(.published) {
            _ = try await admin.publishJourney(journey.id, version: journey.version)
        }
    }

    /// Deletes all users and lets rate limits recover.
    private func clear(_ server: RealServer, _ clock: ProcessClock) async throws {
        for user in try await server.admin.users().items {
            try await server.admin.deleteUser(try #require(UserID(user.id)))
        }
        try clock.advance(.seconds(3600))
    }
}
