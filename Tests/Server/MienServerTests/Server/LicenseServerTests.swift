import Foundation
import MienAPI
import MienClient
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienMedia
import MienTesting
import Testing

@Suite("Device licenses", .enabled(if: Installed.isThere, Installed.reason))
struct LicenseServerTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func device(_ number: UInt8) -> String {
        Base64URL.encode([UInt8](repeating: number, count: 32))
    }

    @Test(
        "a product key activates up to its number of devices, each any number of times, until it is revoked"
    )
    func activations() async throws {
        try await TestServer.run(in: scratch) { server in
            let made = try await server.admin.makeProductKey(
                ProductKeyRequest(product: "mien-face", name: "Branches", activations: 2, days: 10))
            let key = Sensitive(try #require(made.productKey))
            #expect(made.used == 0 && made.days == 10 && made.revokedAt == nil)
            let licensing = try LicenseActivation(
                MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)))
            let now = server.time.now
            for number in [UInt8(1), 2, 1, 1] {
                let issued = try await licensing.activate(key, device: Self.device(number))
                let verdict = License.judge(
                    issued.text, signedBy: issued.key, product: "mien-face",
                    device: Self.device(number), at: now)
                guard case .valid(let license) = verdict else {
                    Issue.record("\(verdict)")
                    return
                }
                #expect(license.expiresAt.seconds == now.seconds + 864_000)
            }
            let full = await #expect(throws: MienError.self) {
                try await licensing.activate(key, device: Self.device(3))
            }
            #expect(full?.problem?.code == .conflict)
            let listed = try await server.admin.productKeys()
            #expect(listed.count == 1 && listed.first?.used == 2 && listed.first?.productKey == nil)

            var refusals: Set<String> = []
            try await server.admin.revokeProductKey(made.id)
            for wrong in [key.use { $0 }, "pk_x.y", "x", made.id + "." + Self.device(9)] {
                let error = await #expect(throws: MienError.self) {
                    try await licensing.activate(Sensitive(wrong), device: Self.device(1))
                }
                #expect(error?.problem?.code == .invalidCredentials)
                refusals.insert(error?.problem?.detail ?? "")
            }
            #expect(refusals.count == 1)
            let again = await #expect(throws: MienError.self) {
                try await server.admin.revokeProductKey(made.id)
            }
            #expect(again?.problem?.code == .notFound)
            let events = try await server.admin.audit().items.map(\.event)
            for event in ["product-key.made", "licence.issued", "product-key.revoked"] {
                #expect(events.contains(event), "\(event)")
            }
            #expect(!server.logs.text.contains(key.use { $0 }))
        }
    }

    @Test("malformed requests are refused, and only administrators create keys")
    func malformed() async throws {
        try await TestServer.run(in: scratch) { server in
            let admin = [
                "content-type": "application/json",
                "authorization": "Bearer \(server.credential.use { $0 })",
            ]
            for (body, field) in [
                (#"{"product": "Mien", "name": "x", "activations": 1}"#, "product"),
                (#"{"product": "m", "name": "", "activations": 1}"#, "name"),
                (#"{"product": "m", "name": "x", "activations": 0}"#, "activations"),
                (#"{"product": "m", "name": "x", "activations": 1, "days": 3651}"#, "days"),
                (#"{"product": "m", "name": "x", "activations": 1, "more": 1}"#, "more"),
            ] {
                let answer = try await server.send(.post, "/v1/product-keys", headers: admin, body)
                #expect(
                    answer.status == 400
                        && answer.body["errors"]?.arrayValue?.first?["field"] == .string(field),
                    "\(answer.body)")
            }
            #expect(
                try await server.send(
                    .post, "/v1/product-keys", #"{"product": "m", "name": "x", "activations": 1}"#
                ).status == 401)
            #expect(try await server.send(.get, "/v1/product-keys").status == 401)
            for body in [
                #"{"product_key": "", "device": "x"}"#, #"{"product_key": "x", "device": "x"}"#,
                #"{"product_key": "x"}"#,
            ] {
                #expect(try await server.send(.post, "/v1/licences", body).status == 400, "\(body)")
            }
        }
    }

    @Test("a device that needs a license gets one and then works without the server")
    func service() async throws {
        try await TestServer.run(in: scratch) { server in
            let made = try await server.admin.makeProductKey(
                ProductKeyRequest(product: "mien-face", name: "One", activations: 1))
            let key = Sensitive(try #require(made.productKey))
            let
                licensing = try LicenseActivation(
                    MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1))),
                time = server.time
            func service(_ folder: String) throws -> FaceAuthService {
                FaceAuthService(
                    folder: scratch("\(folder)/face").path,
                    keyPath: scratch("\(folder)/device.key").path, packID: try PackID("made-up"),
                    tpm: nil,
                    cameras: { [Camera(name: "Front", path: "/dev/video0")] },
                    licensing: LicensePolicy(product: "mien-face") { time.now })
            }
            let device = try service("one")
            #expect(try await !device.isLicenseConfigured())
            #expect(
                await #expect(throws: FaceAuthError.self) { try await device.initialize() }?.code
                    == .notLicensed)
            try await device.configureLicense { name in
                let issued = try await licensing.activate(key, device: name)
                return (issued.text, issued.key)
            }
            #expect(try await service("one").isLicenseConfigured())
            // Another device on the same machine, with a different key file.
            let full = await #expect(throws: MienError.self) {
                try await service("two").configureLicense { name in
                    let issued = try await licensing.activate(key, device: name)
                    return (issued.text, issued.key)
                }
            }
            #expect(full?.problem?.code == .conflict)
            server.time.advance(.seconds(365 * 86_400))
            #expect(try await !service("one").isLicenseConfigured())
        }
    }
}
