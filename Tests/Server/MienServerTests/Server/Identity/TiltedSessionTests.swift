import MienAPI
import MienClient
import MienCore
import MienDocument
import MienIdentity
import MienMedia
import MienTesting
import MienTools
import Testing

@testable import MienServer

/// Sessions in which the person tilts the document.
@Suite(
    "Tilted documents", .enabled(if: Installed.isThere, Installed.reason), .serialized)
struct TiltedSessionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func form(_ frames: [[UInt8]], name: String = "frame") -> [UInt8] {
        var body: [UInt8] = []
        for (k, frame) in frames.enumerated() {
            body += Array(
                "--limit\r\ncontent-disposition: form-data; name=\"\(name)\(k + 1)\"\r\n\r\n".utf8)
            body += frame + [0x0D, 0x0A]
        }
        return body + Array("--limit--\r\n".utf8)
    }

    private static func send(_ person: CapturingPerson, _ frames: [[UInt8]], name: String = "frame")
        async throws -> CapturingPerson.Answer
    {
        try await person.put(
            "document_tilt", form(frames, name: name),
            type: "multipart/form-data; boundary=limit")
    }

    /// A drawn passport of the simulator's person, and frames of it while it is tilted.
    private static func passport(_ surface: TiltedSpecimen.Surface) throws -> (
        front: [UInt8], frames: [[UInt8]]
    ) {
        let specimen = try DrawnDocument.specimen(.td3)
        var random = SeededGenerator(seed: 3)
        let tilted = TiltedSpecimen(
            surface, of: specimen.image, millimeters: specimen.width, degrees: 16, &random)
        return (
            JPEGEncoder.encode(tilted.front, quality: 85),
            tilted.frames.map { JPEGEncoder.encode($0, quality: 75) }
        )
    }

    @Test("nobody tilts a document unless the app or the request asks for it; nobody has to")
    func asking() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            let refused = try await bank.send(
                .post, "", ["required": ["document_live", "selfie"]])
            #expect(refused.status == 400, "\(refused.body)")
            let made = try await bank.send(.post, "", ["required": ["document", "document_live"]])
            #expect(made.missing == ["document_front", "document_tilt", "document_back"])
            let strict = try await RelyingParty(server, "strict", settings: ["document_live": true])
            let (id, person) = try await strict.begin(["required": ["document"]])
            try await person.consent()
            let chosen = try await person.choose("passport")
            #expect(chosen.missing == ["document_front", "document_tilt"])
            #expect(chosen.body["required"] == ["document", "document_live"])
            try await person.photograph("document_front")
            // Without it, the person goes on, and the check says so.
            let submitted = try await person.send(.post, "/submit")
            #expect(submitted.body["status"] == "processing", "\(submitted.body)")
            #expect(try await person.judged().body["status"] == "complete")
            #expect(
                try await strict.send(.get, "/\(id)/images").body["session_images"]?.arrayValue?
                    .count == 1)
        }
    }

    @Test("a series is checked, and one without a document is never taken")
    func series() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            let (id, person) = try await bank.begin(["required": ["document", "document_live"]])
            try await person.consent()
            #expect(
                try await Self.send(person, Array(repeating: [1], count: 4)).status == 409,
                "no document was chosen")
            _ = try await person.choose("passport")
            let still = Array(repeating: VerifyingUser.picture, count: 4)
            // Malformed requests count nothing.
            #expect(try await person.put("document_tilt", VerifyingUser.picture).status == 415)
            #expect(try await Self.send(person, Array(still.prefix(3))).status == 400)
            #expect(try await Self.send(person, still, name: "picture").status == 400)
            let large = [UInt8](repeating: 0, count: PreviewService.maxBytes + 1)
            #expect(try await Self.send(person, still.dropLast() + [large]).status == 413)
            let unreadable = try await Self.send(person, Array(repeating: [1, 2, 3], count: 4))
            #expect(unreadable.body["accepted"] == false)
            #expect(unreadable.body["recapture"]?["hint"] == "unreadable", "\(unreadable.body)")
            for _ in 0..<4 {
                let answer = try await Self.send(person, still)
                #expect(answer.body["accepted"] == false, "\(answer.body)")
                #expect(answer.body["recapture"]?["hint"] == "no_document")
            }
            #expect(try await person.session().missing == ["document_front", "document_tilt"])
            // Another document drops the series, too.
            #expect(
                try await person.choose("idCard").missing
                    == ["document_front", "document_tilt", "document_back"])
            let kept = try await server.server.parts.store.read { tables in
                try tables.verificationSessions.list(of: IdentityAttemptID(id)!)
            }
            #expect(kept.isEmpty)
        }
    }

    @Test("a document read by the server: reflections that move pass, others lead to a review")
    func judged() async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_DOCUMENTS": "passport",
            ]
        ) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            let laminate = try Self.passport(.laminate), print = try Self.passport(.mattePrint)
            let cases: [(String, frames: [[UInt8]]?, result: String?, end: String)] = [
                ("moving", laminate.frames, "passed", "ALLOW"),
                ("still", print.frames, "inconclusive", "CHALLENGE"),
                ("left out", [], "not_checked", "CHALLENGE"),
                ("not asked for", nil, nil, "ALLOW"),
            ]
            for (name, frames, result, end) in cases {
                let parts: JSONValue =
                    frames == nil
                    ? ["document", "selfie"] : ["document", "document_live", "selfie"]
                let (id, person) = try await bank.begin(["required": parts])
                try await person.consent()
                _ = try await person.choose("passport")
                let front = try await person.put(
                    "document_front", laminate.front, type: "image/jpeg")
                #expect(front.body["accepted"] == true, "\(name): \(front.body)")
                if let frames, !frames.isEmpty {
                    // A series without reflections is refused twice.
                    for attempt in 0..<3 {
                        let answer = try await Self.send(person, frames)
                        let isTaken = answer.body["accepted"] == true
                        #expect(isTaken == (name == "moving" || attempt == 2), "\(answer.body)")
                        if isTaken { break }
                        #expect(answer.body["recapture"]?["hint"] == "no_reflection")
                    }
                }
                try await person.selfie("obama2")
                _ = try await person.send(.post, "/submit")
                let judged = try await person.judged()
                #expect(judged.body["status"] == "complete", "\(name): \(judged.body)")
                let found = try await bank.send(.get, "/\(id)/result").body
                #expect(
                    found["checks"]?["document_live"]?.stringValue == result,
                    "\(name): \(found)")
                #expect(found["recommendation"]?.stringValue == end, "\(name): \(found)")
                let images = try await bank.send(.get, "/\(id)/images").body["session_images"]
                let types = images?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
                #expect(types.contains("document_tilt") == !(frames ?? []).isEmpty, "\(types)")
            }
        }
    }

    @Test("sides that were taken for each other: the one that was tilted is compared with itself")
    func exchanged() async throws {
        try await TestServer.run(
            in: scratch,
            settings: ["MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_DOCUMENTS": "idCard"]
        ) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            let back = try DrawnDocument.specimen(.td1)
            var random = SeededGenerator(seed: 3)
            let tilted = TiltedSpecimen(
                .laminate, of: back.image, millimeters: back.width, degrees: 16, &random)
            let (id, person) = try await bank.begin([
                "required": ["document", "document_live", "selfie"]
            ])
            try await person.consent()
            _ = try await person.choose("idCard")
            let first = try await person.put(
                "document_front", JPEGEncoder.encode(tilted.front, quality: 85),
                type: "image/jpeg")
            #expect(first.body["accepted"] == true, "\(first.body)")
            let series = try await Self.send(
                person, tilted.frames.map { JPEGEncoder.encode($0, quality: 75) })
            #expect(series.body["accepted"] == true, "\(series.body)")
            let second = try await person.put(
                "document_back", DrawnDocument.photo(try DrawnDocument.specimen(.td1Front)),
                type: "image/jpeg")
            #expect(second.body["accepted"] == true, "\(second.body)")
            try await person.selfie("obama2")
            _ = try await person.send(.post, "/submit")
            #expect(try await person.judged().body["status"] == "complete")
            let found = try await bank.send(.get, "/\(id)/result").body
            #expect(found["checks"]?["document_live"] == "passed", "\(found)")
            #expect(found["checks"]?["document_consistent"] == "passed", "\(found)")
        }
    }
}
