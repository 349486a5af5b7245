import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Synchronization
import Testing

@testable import MienServer

/// Limits on sessions.
extension LiveCaptureTests {
    @Test("one address may have a quarter of the sessions")
    func ofOneAddress() async throws {
        try await run(["MIEN_CAPTURE_LIVE_SESSIONS": "24"]) { server in
            var stages: [LiveStage] = []
            for _ in 1...6 { stages.append(try await LiveStage(server, try await login(server).1)) }
            let (status, body) = try await LiveStage.send(
                server, try await login(server).1.use { $0 }, "start", "application/json", [])
            #expect(
                status == 429 && body["detail"]?.stringValue?.contains("6 live captures") == true)
            _ = try await server.send(
                .delete, "/v1/capture", headers: ["authorization": "Bearer \(stages[0].token)"])
            _ = try await LiveStage(server, try await login(server).1)
        }
    }

    @Test("the session of a client that is gone does not count")
    func silent() async throws {
        try await run(["MIEN_CAPTURE_LIVE_SESSIONS": "1"]) { server in
            var stage = try await LiveStage(server, try await login(server).1)
            try await stage.play(atMost: 3)
            server.time.advance(.seconds(16))
            var next = try await LiveStage(server, try await login(server).1)
            try await next.play()
            #expect(next.answer.hasPassed)
            await server.server.sweep()
            #expect(try await server.admin.audit().items.last?.detail["reasons"] == ["timed_out"])
        }
    }

    @Test(
        "sessions that time out or fall silent are refused; a session beyond the limit must wait"
    )
    func bounds() async throws {
        try await run([
            "MIEN_CAPTURE_LIVE_SESSIONS": "1", "MIEN_FACE_LIVENESS_TIMEOUT_SECONDS": "10",
        ]) { server in
            var stage = try await LiveStage(server, try await login(server).1)
            try await stage.play(atMost: 3)
            let waiting = try await login(server).1
            let busy = try await LiveStage.send(
                server, waiting.use { $0 }, "start", "application/json", [])
            #expect(busy.0 == 503)
            server.time.advance(.seconds(10))
            await server.server.sweep()
            #expect(try await server.admin.audit().items.last?.detail["reasons"] == ["timed_out"])
            var next = try await LiveStage(server, waiting)
            server.time.advance(.seconds(10))
            #expect(try await next.post([next.frame(.init())]).body["reasons"] == ["timed_out"])
        }
    }

    @Test(
        "the sweep also records captures that expired as timed out before it deletes their records"
    )
    func recordOver() async throws {
        try await run(["MIEN_CAPTURE_SECONDS": "10"]) { server in
            var stage = try await LiveStage(server, try await login(server).1)
            try await stage.play(atMost: 3)
            server.time.advance(.seconds(10))
            await server.server.sweep()
            let last = try #require(try await server.admin.audit().items.last)
            #expect(last.event == "capture.refused" && last.detail["reasons"] == ["timed_out"])
            let gone = try await LiveStage.send(
                server, stage.token, "start", "application/json", [])
            #expect(gone.0 == 401, "and the record is gone")
        }
    }
}
