import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting
import Testing

@testable import MienServer

/// Tests a live capture over HTTP with pictures and the product's own networks. A head rendered
/// from a photo performs the requested actions.
@Suite("Live captures of pictures", .enabled(if: Installed.isThere, Installed.reason))
struct LivePictureTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Returns the photo's face with a margin, 480 pixels wide, and its mesh.
    private static func head(_ pack: PackID) async throws -> SolidHead {
        let engine = try FaceEngine(pack: try PackLibrary(folder: Installed.home.packs).pack(pack))
        let photo = try ImageDecoder.decode(Installed.photo("obama"))
        let face = try #require(try await engine.analyze(photo).main).detection.box
        let width = min(photo.width, Int(3 * face.width)),
            height = min(photo.height, Int(3 * face.height))
        let left = min(max(0, Int(face.center.x) - width / 2), photo.width - width)
        let top = min(max(0, Int(face.center.y) - height / 2), photo.height - height)
        let cut = photo.reduced(by: 1, x: left, y: top, width: width, height: height).resized(
            width: 360, height: 360 * height / width)
        return SolidHead(
            cut, mesh: try #require(try await engine.analyze(cut).main).mesh, reach: 50)
    }

    private func token(_ server: TestServer) async throws -> String {
        let journey = try await server.client().start("face-registration")
        try await journey.respond(
            "password", ["username": "ada", "password": "a password nobody has"])
        return try #require(try await journey.respond(.clientInput).startToken).use { $0 }
    }

    @Test(
        "frames yield the face's position and quality, the still phase, the requested actions, and a verdict with measurements",
        arguments: [PackLibrary.basicID, PackLibrary.betterID])
    func pictures(pack: PackID) async throws {
        guard (try? PackLibrary(folder: Installed.home.packs).pack(pack)) != nil else {
            try Test.cancel("\(pack.text) is not installed: run scripts/setup")
        }
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_FACE_LIVENESS_MODE": "liveness_active", "MIEN_FACE_PACK": pack.text,
            ]
        ) { server in
            _ = try await server.makeUser()
            let token = try await token(server)
            let (_, begun) = try await LiveStage.send(
                server, token, "start", "application/json", [])
            var answer = try begun.decoded(as: CaptureAnswer.self), head = try await Self.head(pack)
            var announced: [WireValue<CaptureAction>] = [], quality = 0, boxes: [[Double]] = []
            var chain = FrameChain(
                nonce: try #require(answer.nonce.flatMap { Base64URL.decode($0) }))
            // As long as a session may last, because the server draws how many actions it asks for.
            for number in 1...600 where answer.isOpen {
                server.time.advance(.milliseconds(100))
                let image = head.image(
                    asked: answer.action.flatMap { LivenessAction(rawValue: $0.rawValue) },
                    at: Double(number) / 10)
                let frame = chain.append(
                    JPEGEncoder.encode(image, quality: 92), milliseconds: UInt32(100 * number))
                let (status, body) = try await LiveStage.send(
                    server, token, "frames", FrameBatch.contentType, FrameBatch.encode([frame]))
                try #require(status == 200, "\(body)")
                answer = try body.decoded(as: CaptureAnswer.self)
                if let action = answer.action, announced.last != action { announced.append(action) }
                quality = max(quality, answer.quality ?? 0)
                if let face = answer.face { boxes.append(face) }
            }
            #expect(
                announced.count >= 2 && announced.first == .known(.keepStill),
                "keeping still was detected, and another action was requested: \(announced)")
            #expect(quality >= 48 && boxes.count > 20)
            #expect(
                boxes.allSatisfy { $0.count == 4 && (60...300).contains($0[2]) },
                "the face fills about a third of the picture")
            // A rendered head may pass or fail. This test checks only that it was judged, and by
            // which measurements.
            #expect(
                !answer.isOpen && (answer.hasPassed || answer.reasons?.isEmpty == false),
                "\(answer)")
            let entry = try #require(
                try await server.admin.audit().items.last { $0.event.hasPrefix("capture.") })
            #expect(entry.event == (answer.hasPassed ? "capture.passed" : "capture.refused"))
            let measured = try #require(entry.detail["measured"])
            for check in ["track", "likeness", "texture"] {
                #expect(measured[check]?.numberValue != nil, "\(check)")
            }
        }
    }

    @Test("malformed and oversized pictures are refused and use up the session")
    func noPictures() async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_FACE_LIVENESS_MODE": "liveness_active", "MIEN_CAPTURE_LIVE_FRAMES": "50",
            ]
        ) { server in
            _ = try await server.makeUser()
            let token = try await token(server)
            let (_, begun) = try await LiveStage.send(
                server, token, "start", "application/json", [])
            let nonce = try #require(
                try begun.decoded(as: CaptureAnswer.self).nonce.flatMap { Base64URL.decode($0) })
            let large = JPEGEncoder.encode(
                RGBImage(width: 2000, height: 1300, filledWith: .black), quality: 50)
            server.time.advance(.seconds(1))
            for picture in [[1, 2, 3], large] {
                var chain = FrameChain(nonce: nonce)
                let frame = chain.append(picture, milliseconds: 900)
                let (status, body) = try await LiveStage.send(
                    server, token, "frames", FrameBatch.contentType, FrameBatch.encode([frame]))
                #expect(status == 400 && body["code"] == "image_not_accepted", "\(status) \(body)")
            }
            let status = try await server.send(
                .get, "/v1/capture", headers: ["authorization": "Bearer \(token)"])
            #expect(status.body["frames_left"] == 48 && status.body["next_frame"] == 1)
        }
    }
}
