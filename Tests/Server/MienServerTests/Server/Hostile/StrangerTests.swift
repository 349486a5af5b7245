import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienMedia
import MienTesting
import Testing

/// Attacks by strangers on the sessions, the disk, and the memory of a real server.
@Suite("Abuse: strangers", .enabled(if: Installed.isThere, Installed.reason))
struct StrangerTests {
    private static let settings = [
        "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_DOCUMENTS": "passport",
        "MIEN_FACE_LIVENESS_MODE": "image", "MIEN_TRUST_PROXY": "true",
        "MIEN_LIMIT_VERIFICATIONS_PER_ADDRESS": "3", "MIEN_LIMIT_VERIFICATION_MIB": "16",
        "MIEN_LIMIT_REQUEST_SECONDS": "600",
    ]

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withServer(_ body: (AttackedServer) async throws -> Void) async throws {
        let server = try await AttackedServer.start(in: scratch, Self.settings, publicURL: nil)
        try await server.publish(
            "identify", start: "verify",
            steps: """
                "verify": {"type": "identity_verification", "config": {"callback_url": "https://shop.example/done", "output_variable": "v"},
                  "on": {"allow": "done", "challenge": "no", "deny": "no", "failure": "no"}},
                "no": {"type": "reject_access", "config": {"reason": "denied"}},
                "done": {"type": "complete_journey", "config": {"user_auth_state": "none"}}
                """)
        try await body(server)
        #expect(await server.process.stop() == 0)
    }

    /// Opens the page of a journey, and returns who may use its link.
    private static func opened(_ server: AttackedServer, from address: String) async throws
        -> CapturingPerson
    {
        let begun = try await server.start("identify")
        let payload = try #require(begun.body["data"]?["payload"], "\(begun)")
        return CapturingPerson(
            server: server, token: try #require(payload["start_token"]?.stringValue),
            headers: ["x-forwarded-for": address])
    }

    @Test("opening a page begins no session; those that begin count for their address alone")
    func sessions() async throws {
        try await withServer { server in
            let bank = try await RelyingParty(server, by: server.admin)
            var people: [CapturingPerson] = []
            for _ in 0..<10 { people.append(try await Self.opened(server, from: "192.0.2.1")) }
            #expect(try await server.events("verification.created") == 0)
            for person in people.prefix(3) { #expect(try await person.session().status == 200) }
            // The fourth waits, whatever it asks for, and is not lost.
            #expect(try await people[3].session().code == "too_many_requests")
            #expect(try await people[3].send(.post, "/submit").status == 429)
            #expect(try await server.events("verification.created") == 3)
            // Neither the app nor another address notices.
            _ = try await bank.begin()
            var other = people[4]
            other.headers = ["x-forwarded-for": "198.51.100.7:50007"]
            #expect(try await other.session().status == 200)
            #expect(try await people[0].send(.delete, "/session").status == 200)
            #expect(try await people[3].session().status == 200)
            #expect(try await people[5].session().status == 429)
            // The networks of one IPv6 site count together.
            for (number, status) in [(6, 200), (7, 200), (8, 200), (9, 429)] {
                people[number].headers = ["x-forwarded-for": "2001:db8:1:\(number)::1"]
                #expect(try await people[number].session().status == status)
            }
            people[9].headers = ["x-forwarded-for": "2001:db8:2:9::1"]
            #expect(try await people[9].session().status == 200)
            // A link that was refused works later.
            let payload = try #require(try await server.start("identify").body["data"]?["payload"])
            let code = try #require(payload["endpoint"]?.stringValue?.split(separator: "#").last)
            let page = try await CapturingPerson.send(
                .get, server.url("/verify/document"), token: nil)
            let csrf = try #require(
                String(decoding: page.bytes, as: UTF8.self)
                    .firstMatch(of: /"csrf":"([^"]*)"/)?.output.1)
            let cookie = try #require(
                page.headers["set-cookie"]?.firstMatch(of: /mien_browser=[^;]+/)?.output)
            func open() async throws -> Int {
                try await CapturingPerson.send(
                    .post, server.url("/verify/document/session"), token: nil,
                    Array(#"{"code": "\#(code)"}"#.utf8),
                    headers: [
                        "x-forwarded-for": "192.0.2.1", "origin": server.address,
                        "x-mien-csrf": String(csrf), "cookie": String(cookie),
                    ]
                ).status
            }
            #expect(try await open() == 429)
            #expect(try await people[1].send(.delete, "/session").status == 200)
            #expect(try await open() == 200)
            #expect(try await open() == 410, "a link works once")
        }
    }

    @Test("pictures are stored without what is not theirs, and none without a document")
    func pictures() async throws {
        try await withServer { server in
            let bank = try await RelyingParty(server, by: server.admin)
            let (id, person) = try await bank.begin(["required": ["document"]])
            try await person.consent()
            _ = try await person.choose("passport")
            // Noise is no document, however often it is sent.
            for _ in 0..<5 {
                let answer = try await person.put(
                    "document_front", Self.noise(seed: 1), type: "image/jpeg")
                #expect(answer.body["accepted"] == false, "\(answer.body)")
                #expect(answer.body["recapture"]?["hint"] == "no_document")
            }
            let images = try await bank.send(.get, "/\(id)/images").body["session_images"]
            #expect(images?.arrayValue == [])
            // What follows the picture, and what it says about its place, is not stored.
            let secret = Array("52.5200 N 13.4050 E".utf8)
            var picture = DrawnDocument.cover()
            picture.insert(
                contentsOf: [0xFF, 0xE1, 0, UInt8(secret.count + 2)] + secret, at: 2)
            picture += secret + [UInt8](repeating: 7, count: 3_000_000)
            try await Self.take(person, picture)
            let stored = try await bank.send(.get, "/\(id)/images/document_front")
            #expect(stored.status == 200 && stored.bytes.count < 1_000_000)
            #expect(stored.bytes.firstRange(of: secret) == nil)
            let image = try ImageDecoder.decode(stored.bytes)
            #expect(image.width == 1600 && image.height == 1200)
        }
    }

    @Test(
        "one address fills its part of the disk, all together that of an app, and it is given back")
    func disk() async throws {
        try await withServer { server in
            let bank = try await RelyingParty(server, by: server.admin)
            let picture = Self.grainyCover(), file = scratch("data").appending(path: "mien.sqlite")
            func size() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
            }
            // Sessions of apps, which have no limit of sessions by address.
            var people: [CapturingPerson] = [], ends: [Int] = []
            for number in 1...12 where ends.last != 503 {
                for _ in 0..<10 {
                    var (_, person) = try await bank.begin(["required": ["document"]])
                    person.headers = ["x-forwarded-for": "192.0.2.\(number)"]
                    try await person.consent()
                    _ = try await person.choose("passport")
                    people.append(person)
                    let status = try await Self.take(person, picture)
                    guard status == 200 else {
                        ends.append(status)
                        break
                    }
                }
            }
            #expect(ends.first == 429 && ends.last == 503, "\(ends)")
            #expect(people.count < 60)
            // Journeys have room of their own.
            #expect(try await Self.take(Self.ready(server), picture) == 200)
            try await eventually { try size() > 8 << 20 }
            // What ends makes room, also on the disk.
            for person in people { _ = try await person.send(.delete, "/session") }
            try await eventually { try size() < 8 << 20 }
            let (_, person) = try await bank.begin(["required": ["document"]])
            try await person.consent()
            _ = try await person.choose("passport")
            #expect(try await Self.take(person, picture) == 200)
        }
    }

    @Test("unfinished pictures of one IPv6 site keep nobody else out, and a stalled one ends")
    func bodies() async throws {
        try await withServer { server in
            let length = 4_500_000
            func begin(_ person: CapturingPerson) async throws -> RawConnection {
                let connection = try await RawConnection.open(server.address)
                let address = person.headers["x-forwarded-for"] ?? ""
                try await connection.send(
                    "PUT /v1/verification/images/document_front HTTP/1.1\r\nhost: a\r\nauthorization: Bearer \(person.token)\r\nx-forwarded-for: \(address)\r\ncontent-type: image/jpeg\r\ncontent-length: \(length)\r\n\r\n"
                )
                // The server may answer before it has all.
                try? await connection.send([UInt8](repeating: 1, count: length - 1))
                return connection
            }
            let bank = try await RelyingParty(server, by: server.admin)
            var held: [RawConnection] = []
            var last: CapturingPerson?
            for number in 0..<40 {
                var (_, person) = try await bank.begin(["required": ["document"]])
                person.headers = ["x-forwarded-for": "2001:db8:1:\(number)::1"]
                try await person.consent()
                _ = try await person.choose("passport")
                held.append(try await begin(person))
                last = last ?? person
            }
            // All but a quarter of the budget is refused.
            let connections = held
            try await eventually { connections.filter { $0.hasReceived }.count >= 30 }
            let person = try await Self.ready(server)
            #expect(try await Self.take(person, DrawnDocument.cover()) == 200)
            // A later body of the same token ends the earlier one.
            let again = try await begin(try #require(last))
            try await held[0].closed()
            // The client sends nothing more, long before it must have sent everything.
            try await again.closed()
        }
    }

    /// A session of an address that took part in nothing.
    private static func ready(_ server: AttackedServer) async throws -> CapturingPerson {
        let person = try await opened(server, from: "203.0.113.9")
        try await person.consent()
        _ = try await person.choose("passport")
        return person
    }

    /// Sends a picture until it is taken.
    @discardableResult
    private static func take(_ person: CapturingPerson, _ picture: [UInt8]) async throws -> Int {
        for _ in 0..<3 {
            let answer = try await person.put("document_front", picture, type: "image/jpeg")
            guard answer.status == 200, answer.body["accepted"] == false else {
                return answer.status
            }
        }
        Issue.record("the picture was not taken")
        return 0
    }

    private static func noise(seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let pixels = (0..<3 * 640 * 480).map { _ in UInt8.random(in: 0...255, using: &random) }
        return JPEGEncoder.encode(
            try! RGBImage(width: 640, height: 480, pixels: pixels), quality: 90)
    }

    /// A document whose picture takes up more room than most.
    private static func grainyCover() -> [UInt8] {
        var random = SeededGenerator(seed: 5)
        let cover = try! ImageDecoder.decode(DrawnDocument.cover())
        let pixels = cover.pixels.map {
            UInt8(clamping: Int($0) + Int.random(in: -7...7, using: &random))
        }
        return JPEGEncoder.encode(
            try! RGBImage(width: cover.width, height: cover.height, pixels: pixels), quality: 90)
    }
}
