import Foundation
import MienAPI
import MienCore
import MienFace
import MienMedia
import MienTesting
import Testing

@Suite("Abuse: pictures", .enabled(if: Installed.isThere, Installed.reason))
struct ImageBombTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "oversized, empty, truncated, and foreign pictures are refused; the session goes on and accepts a valid one"
    )
    func bombs() async throws {
        try await TestServer.run(in: scratch) { server in
            let connection = try await RawConnection.open(server.address)
            let state = try #require(
                try await connection.post(
                    "/v1/journeys/face-login/start", #"{"client_id": "default_application"}"#
                ).json["state"]?.stringValue)
            let body: JSONValue = [
                "state": .string(state), "option": "face", "data": ["user_identifier": "ada"],
            ]
            let opened = try await connection.post("/v1/journeys/respond", JSONText.write(body))
            let token = try #require(opened.json["data"]?["start_token"]?.stringValue)
            func send(_ bytes: [UInt8], _ type: String = "image/jpeg") async throws -> RawAnswer {
                try await connection.request(
                    "POST", "/v1/capture/frames",
                    ["authorization": "Bearer \(token)", "content-type": type], bytes)
            }
            let photo = Installed.photo("obama")
            for (name, bytes) in [
                ("PNG, 2³¹ − 1 a side", Self.png(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)),
                ("PNG, 100,000 a side", Self.png(width: 100_000, height: 100_000)),
                ("PNG, one row of 10⁹", Self.png(width: 1_000_000_000, height: 1)),
                ("PNG of no size", Self.png(width: 0, height: 0)),
                ("JPEG, 65,535 a side", Self.jpeg(photo, width: 65_535, height: 65_535)),
                ("JPEG of no height", Self.jpeg(photo, width: 100, height: 0)),
                ("GIF, 65,535 a side", Self.gif(width: 65_535, height: 65_535)),
                ("JPEG cut off", Array(photo.prefix(photo.count / 3))),
                ("JPEG, two bytes", [0xFF, 0xD8]), ("nothing", []),
                ("text", Array("<svg onload=alert(1)>".utf8)),
                ("zeros", [UInt8](repeating: 0, count: 100_000)),
            ] {
                let answer = try await send(bytes)
                if answer.status == 200 {
                    Issue.record("\(name): \(try answer.json)")
                } else {
                    try answer.expect(.imageNotAccepted, name)
                }
            }
            // Small in transit and 32 megapixels when decoded: within the limits, but without a
            // face.
            let bomb = PNGEncoder.encode(
                RGBImage(width: 8000, height: 4000, filledWith: RGBColor(0, 0, 0)))
            #expect(bomb.count < 500_000)
            let unpacked = try await send(bomb, "image/png")
            #expect(unpacked.status == 200 || unpacked.status == 400, "\(unpacked.status)")
            if unpacked.status == 200 {
                #expect(try unpacked.json["guidance"] == ["face_not_found"])
            } else {
                try unpacked.expect(.imageNotAccepted)
            }

            let limit = 16_777_216
            try await send(photo + [UInt8](repeating: 0, count: limit + 1 - photo.count)).expect(
                .payloadTooLarge)
            // The same without a content-length header.
            try await connection.send(
                "POST /v1/capture/frames HTTP/1.1\r\nhost: a\r\nauthorization: Bearer \(token)\r\ncontent-type: image/jpeg\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            for _ in 0..<17 {
                try await connection.send(
                    Array("100000\r\n".utf8) + [UInt8](repeating: 0, count: 0x100000)
                        + Array("\r\n".utf8))
            }
            try await connection.send("0\r\n\r\n")
            try #require(await connection.answer()).expect(.payloadTooLarge)
            // A picture of exactly the allowed size is analyzed.
            #expect(
                try await send(photo + [UInt8](repeating: 0, count: limit - photo.count)).status
                    == 200)
            for type in ["text/html", "application/json", "video/mp4"] {
                try await send(photo, type).expect(.unsupportedMediaType)
            }

            let status = try await connection.request(
                "GET", "/v1/capture", ["authorization": "Bearer \(token)"])
            #expect(
                try status.json["status"] == "passed",
                "refused pictures did not end the session, and the valid one passed")
        }
    }

    @Test("a frame without a valid token is refused before its megabytes are received")
    func tokenFirst() async throws {
        try await TestServer.run(in: scratch) { server in
            let connection = try await RawConnection.open(server.address)
            // The response arrives although the body is never sent.
            try await connection.send(
                "POST /v1/capture/frames HTTP/1.1\r\nhost: a\r\nauthorization: Bearer cap_x.y\r\ncontent-type: image/jpeg\r\ncontent-length: 5000000\r\n\r\n"
            )
            try #require(await connection.answer()).expect(.invalidCredentials)
        }
    }

    // MARK: Headers with large sizes

    private static func big(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in checked {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return big(content.count) + checked + big(Int(~crc))
    }

    private static func png(width: Int, height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(width) + big(height) + [8, 2, 0, 0, 0])
            + chunk("IDAT", [0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]) + chunk("IEND", [])
    }

    /// Returns a photo whose frame header has another size.
    private static func jpeg(_ photo: [UInt8], width: Int, height: Int) -> [UInt8] {
        var photo = photo
        for i in photo.indices.dropLast(9)
        where photo[i] == 0xFF && (photo[i + 1] == 0xC0 || photo[i + 1] == 0xC2)
            && photo[i + 4] == 8
        {
            photo.replaceSubrange(
                i + 5..<i + 9,
                with: [
                    UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255),
                ])
        }
        return photo
    }

    private static func gif(width: Int, height: Int) -> [UInt8] {
        Array("GIF89a".utf8) + [
            UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8), 0x80, 0,
            0, 0, 0, 0, 255, 255, 255,
        ]
            + [
                0x2C, 0, 0, 0, 0, UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255),
                UInt8(height >> 8), 0, 2, 2, 0x44, 1, 0, 0x3B,
            ]
    }
}
