import MienCore
import MienKeys
import Testing

@Suite struct LicenseTests {
    private static let device = Base64URL.encode([UInt8](1...32)),
        other = Base64URL.encode([UInt8](2...33))
    private static let start: Int64 = 1_800_000_000, end: Int64 = start + 86_400

    private static func text(
        _ signer: SoftwareSigner, type: String = License.type, _ changed: [String: JSONValue] = [:]
    ) async throws -> String {
        let claims: [String: JSONValue] = [
            "iss": "https://x", "product": "mien-face", "device": .string(device),
            "iat": .number(Double(start)), "exp": .number(Double(end)),
        ]
        let payload = Array(JSONText.write(.object(claims.merging(changed) { $1 })).utf8)
        return try await JWS.sign(header: ["typ": .string(type)], payload: payload, with: signer)
    }

    private static func judge(
        _ text: String, _ key: DevicePublicKey, after seconds: Int64 = 0,
        product: String = "mien-face", device: String = device
    )
        -> License.Verdict
    {
        License.judge(
            text, signedBy: key, product: product, device: device,
            at: Instant(milliseconds: (start + seconds) * 1000))
    }

    @Test func `a license is valid for its device and product in its time`() async throws {
        let signer = try SoftwareSigner.generate(.es256), text = try await Self.text(signer),
            key = signer.publicKey
        guard case .valid(let license) = Self.judge(text, key) else {
            Issue.record("the license should be valid")
            return
        }
        #expect(
            license.product == "mien-face" && license.device == Self.device
                && license.expiresAt.seconds == Self.end)
        #expect(Self.judge(text, key, after: 86_399) == .valid(license))
        #expect(Self.judge(text, key, after: 86_400) == .expired(license))
        #expect(Self.judge(text, key, after: -86_400) == .valid(license), "a clock a day behind")
        #expect(Self.judge(text, key, after: -86_401) == .clockBehind(license))
        #expect(Self.judge(text, key, product: "other") == .otherProduct)
        #expect(Self.judge(text, key, device: Self.other) == .otherDevice)
    }

    @Test
    func
        `a license that is changed, signed by another key, or of another type or form is not genuine`()
        async throws
    {
        let signer = try SoftwareSigner.generate(.es256), text = try await Self.text(signer),
            key = signer.publicKey
        for index in text.utf8.indices {
            var bytes = Array(text.utf8)
            let offset = text.utf8.distance(from: text.utf8.startIndex, to: index)
            bytes[offset] =
                bytes[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let changed = String(decoding: bytes, as: UTF8.self)
            if changed != text {
                #expect(Self.judge(changed, key) == .notGenuine, "character \(offset)")
            }
        }
        #expect(Self.judge(text, try SoftwareSigner.generate(.es256).publicKey) == .notGenuine)
        #expect(
            try await Self.judge(Self.text(signer, type: "JWT"), key) == .notGenuine,
            "an ID token is not a license")
        for (name, value) in [
            ("product", nil), ("product", "Mien"), ("device", "short"), ("device", nil),
            ("exp", nil), ("exp", "soon"), ("exp", 1.5), ("iat", -1),
            ("exp", 1e300),
        ] as [(String, JSONValue?)] {
            #expect(
                try await Self.judge(Self.text(signer, [name: value ?? .null]), key) == .notGenuine,
                "\(name)")
        }
        for junk in ["", "a.b.c", String(repeating: "a", count: 5000)] {
            #expect(Self.judge(junk, key) == .notGenuine)
        }
    }

    @Test(arguments: [
        ("mien-face", true), ("a", true), ("a.b-9", true), ("", false), ("A", false),
        ("a b", false), (String(repeating: "a", count: 65), false),
    ])
    func product(text: String, isOne: Bool) { #expect(License.isProduct(text) == isOne) }
}
