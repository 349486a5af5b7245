import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

/// Attempts to make the server analyze pictures without end with one capture token.
extension HostileTests {
    private static let frames = 3

    @Test("a client keeps the server analyzing pictures by continuing after the capture has passed")
    func framesAfterPassing() async throws {
        try await withCapture { server, capture in
            for left in (0..<Self.frames).reversed() {
                let answer = try await capture.send(Installed.photo("obama"))
                #expect(
                    try answer.status == 200 && answer.json["status"] == "passed"
                        && answer.json["frames_left"] == .number(Double(left)))
            }
            for _ in 0..<3 {
                try await capture.send(Installed.photo("obama")).expect(.captureClosed)
            }
            // Refused before a byte of the picture is read, and without a trace in the record.
            let other = try await RawConnection.open(server.address)
            try await other.send(
                "POST /v1/capture/frames HTTP/1.1\r\nhost: a\r\nauthorization: Bearer \(capture.token)\r\ncontent-type: image/jpeg\r\ncontent-length: 5000000\r\n\r\n"
            )
            try #require(await other.answer()).expect(.captureClosed)
            let status = try await capture.status()
            #expect(
                try status.json["status"] == "passed" && status.json["frames_left"] == 0,
                "the passed capture stays usable")
            let body: JSONValue = [
                "state": .string(capture.state), "option": "client_input", "data": [:],
            ]
            let next = try await capture.connection.post(
                "/v1/journeys/respond", JSONText.write(body))
            #expect(try next.status == 200 && next.json["error"] == nil)
        }
    }

    @Test("a client keeps the server decoding by sending broken pictures that do not count")
    func brokenFrames() async throws {
        try await withCapture { server, capture in
            let broken = Array(Installed.photo("obama").prefix(20_000))
            for _ in 0..<Self.frames { try await capture.send(broken).expect(.imageNotAccepted) }
            try await capture.send(Installed.photo("obama")).expect(.captureClosed)
            let status = try await capture.status()
            #expect(
                try status.json["status"] == "failed"
                    && status.json["reasons"] == ["too_many_frames"])
        }
    }

    @Test("a client keeps the server decoding by alternating good and broken pictures")
    func mixedFrames() async throws {
        try await withCapture { server, capture in
            #expect(try await capture.send(Installed.photo("obama")).status == 200)
            for _ in 1..<Self.frames {
                try await capture.send([0xFF, 0xD8]).expect(.imageNotAccepted)
            }
            try await capture.send(Installed.photo("obama")).expect(.captureClosed)
            #expect(try await capture.status().json["status"] == "passed")
        }
    }

    /// A registration's capture in mode `image`, ready to accept frames.
    private struct OpenCapture {
        let connection: RawConnection
        let token: String
        /// The state for the step after the capture.
        let state: String

        func send(_ picture: [UInt8]) async throws -> RawAnswer {
            try await connection.request(
                "POST", "/v1/capture/frames",
                ["authorization": "Bearer \(token)", "content-type": "image/jpeg"], picture)
        }

        func status() async throws -> RawAnswer {
            try await connection.request("GET", "/v1/capture", ["authorization": "Bearer \(token)"])
        }
    }

    private func withCapture(_ body: (ServeProcess, OpenCapture) async throws -> Void) async throws
    {
        let server = try await ServeProcess.start(
            in: scratch,
            ["MIEN_CAPTURE_FRAMES": "\(Self.frames)", "MIEN_FACE_LIVENESS_MODE": "image"])
        _ = try await server.admin(try #require(server.credential))
            .createUser(
                UserRequest(
                    username: "ada", email: "ada@example.org", password: "a password nobody has"))
        let connection = try await RawConnection.open(server.address)
        var answer = try await connection.post(
            "/v1/journeys/face-registration/start", #"{"client_id": "default_application"}"#)
        func respond(_ option: String, _ data: JSONValue = [:]) async throws {
            let state = try #require(try answer.json["state"])
            let body: JSONValue = ["state": state, "option": .string(option), "data": data]
            answer = try await connection.post("/v1/journeys/respond", JSONText.write(body))
        }
        try await respond("password", ["username": "ada", "password": "a password nobody has"])
        try await respond("client_input")
        let token = try #require(try answer.json["data"]?["payload"]?["start_token"]?.stringValue)
        try await body(
            server,
            OpenCapture(
                connection: connection, token: token,
                state: try #require(try answer.json["state"]?.stringValue)))
        #expect(await server.stop() == 0)
    }
}
