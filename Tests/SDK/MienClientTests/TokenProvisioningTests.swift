import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import Testing

@Suite("OTP tokens for this device")
struct TokenProvisioningTests {
    private static let secret = (0..<32).map { UInt8($0) }, app = "shop", token = "aut_1"

    /// A server that encrypts to the key it receives and then damages the response.
    private struct Server: HTTPTransport {
        var info = OTPTokenAnswer.info(app: app, token: token)
        var secret = TokenProvisioningTests.secret
        var spoil: @Sendable (inout OTPTokenAnswer) -> Void = { _ in }

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            #expect(request.method == .post && request.url.hasSuffix("/v1/otp/tokens"))
            let asked = try JSONDecoder().decode(RedeemOTPRequest.self, from: Data(request.body))
            #expect(
                asked.registrationCode == "otc_1.code" && asked.name == "Phone"
                    && asked.os == "linux")
            let point = try ["x", "y"].flatMap {
                try #require(asked.publicKey[$0]?.stringValue.flatMap { Base64URL.decode($0) })
            }
            var sender = try HPKE.Sender(
                recipientKey: P256.KeyAgreement.PublicKey(rawRepresentation: point),
                ciphersuite: .P256_SHA256_AES_GCM_256, info: Data(info))
            let ciphertext = try sender.seal(Data(secret))
            var answer = OTPTokenAnswer(
                tokenID: token, appID: app, kind: .known(.totp), algorithm: "SHA256", digits: 8,
                period: 30, counter: nil,
                signatureSuite: "OCRA-1:HOTP-SHA256-8:QH64",
                encapsulatedKey: Base64URL.encode(sender.encapsulatedKey),
                encryptedSecret: Base64URL.encode(ciphertext))
            spoil(&answer)
            return HTTPTransportResponse(
                status: 201, headers: [:], body: [UInt8](try JSONEncoder().encode(answer)))
        }
    }

    private func redeem(_ server: some HTTPTransport) async throws -> OTPProvisionedToken {
        try await OTPProvisioning(options(server)).redeem(
            Sensitive("otc_1.code"), name: "Phone", system: "linux")
    }

    @Test("the device decrypts the secret that the server encrypted")
    func works() async throws {
        let token = try await redeem(Server())
        #expect(
            token.id == Self.token && token.app == Self.app && token.secret.bytes == Self.secret)
        guard case .totp(let totp) = token.kind else {
            Issue.record("\(token)")
            return
        }
        #expect(totp.hotp.digits == 8 && totp.hotp.hash == .sha256 && totp.stepSeconds == 30)
        let counting = try await redeem(
            Server { answer in
                (answer.kind, answer.period, answer.counter) = (.known(.hotp), nil, 3)
            })
        guard case .hotp(_, firstCounter: 3) = counting.kind else {
            Issue.record("\(counting)")
            return
        }
    }

    /// Turns the answer into a CAP token.
    private static let card: @Sendable (inout OTPTokenAnswer) -> Void = { answer in
        (answer.kind, answer.algorithm, answer.period) = (.known(.cap), "3DES", nil)
        (answer.counter, answer.signatureSuite) = (1, nil)
        answer.cap = OTPCardAnswer(
            mask: "000000FFFFFF0000000000000000000000000000", iaf: "00", psn: "00",
            iad: "0000000000000000")
    }

    @Test("a CAP token signs what was shown, at a counter")
    func card() async throws {
        let key = Array(Self.secret[..<16]),
            token = try await redeem(Server(secret: key, spoil: Self.card))
        guard case .cap(let cap, firstCounter: 1) = token.kind else {
            Issue.record("\(token)")
            return
        }
        #expect(try cap == CAP() && token.secret.bytes == key && token.signatureSuite == nil)
        let shown = try ShownTransaction(
            DynamicChallenge("000691234568"),
            [.account: "CH9300762011623852957", .amount: "120.50", .currency: "CHF"])
        #expect(try token.signature(of: shown, at: 1).text == "00085023")
        #expect(throws: OTPError(.input, "")) { try token.signature(of: shown) }
    }

    @Test(
        "a malformed response is a server error, which quotes nothing from it")
    func spoilt() async throws {
        let servers: [Server] = [
            Server(info: OTPTokenAnswer.info(app: "bank", token: Self.token)),
            Server(info: OTPTokenAnswer.info(app: Self.app, token: "aut_2")),
            Server(secret: [1, 2, 3]), Server { $0.encryptedSecret += "AA" },
            Server { $0.encryptedSecret = "" },
            Server { $0.encapsulatedKey = "AAAA" },
            Server { $0.encapsulatedKey = "+" }, Server { $0.kind = .unknown("sms") },
            Server { $0.period = nil }, Server { $0.counter = 0 },
            Server { ($0.kind, $0.period, $0.counter) = (.known(.hotp), nil, -1) },
            Server { $0.algorithm = "MD5" }, Server { $0.digits = 5 },
            Server { $0.signatureSuite = "OCRA-2" }, Server { $0.appID = "bank" },
            Server { $0.tokenID = "aut_2" }, Server { $0.signatureSuite = nil },
            Server { $0.kind = .known(.cap) },
        ]
        let cards: [Server] =
            [
                Server { $0.counter = 0 }, Server { $0.counter = 65_536 },
                Server { $0.period = 30 },
                Server { $0.cap = nil }, Server { $0.cap?.mask = "00" },
                Server { $0.cap?.mask = "0000FFFFFF000000000000000000000000000000" },
                Server { $0.cap?.iaf = "" }, Server { $0.cap?.iad = "00" },
                Server { $0.digits = 9 },
                Server { $0.algorithm = "SHA256" },
                Server { $0.signatureSuite = "OCRA-1:HOTP-SHA256-8:QH64" },
            ].map { server in
                Server(secret: Array(Self.secret[..<16])) { answer in
                    Self.card(&answer)
                    server.spoil(&answer)
                }
            } + [Server(spoil: Self.card)]
        for (number, server) in (servers + cards).enumerated() {
            let error = await #expect(throws: MienError.self, "\(number)") {
                try await redeem(server)
            }
            #expect(
                error?.code == .serverError
                    && error?.reason == "The server returned a malformed OTP token.", "\(number)")
        }
    }

    @Test(
        "a code is sent again with the same key if the response was lost; a refusal is final")
    func again() async throws {
        let transport = ScriptedTransport([
            .fault(.timedOut), .fault(.timedOut), .problem(.invalidCredentials),
        ])
        #expect(
            await #expect(throws: MienError.self) { try await redeem(transport) }?.code
                == .invalidCredentials)
        #expect(transport.requests.count == 3 && Set(transport.requests.map(\.body)).count == 1)
        let refused = ScriptedTransport([.problem(.invalidCredentials)])
        #expect(
            await #expect(throws: MienError.self) { try await redeem(refused) }?.code
                == .invalidCredentials)
    }

    @Test("a stored key decrypts what was encrypted to it, and is not printed")
    func key() async throws {
        let key = OTPProvisioningKey(), kept = try #require(OTPProvisioningKey(bytes: key.bytes))
        #expect(kept.bytes == key.bytes && OTPProvisioningKey(bytes: Sensitive([1, 2, 3])) == nil)
        let token = try await OTPProvisioning(options(Server())).redeem(
            Sensitive("otc_1.code"), name: "Phone", system: "linux", key: kept)
        #expect(token.secret.bytes == Self.secret)
        var text = "\(key)"
        dump(key, to: &text)
        #expect(!text.contains(key.bytes.use { Base64URL.encode($0) }))
    }

    @Test("only the data that was shown is signed")
    func signing() async throws {
        let token = try await redeem(Server()), data = ["to": "CH93", "amount": "120.50"]
        let digest = Base64URL.encode(
            SHA256.hash(data: Array(#"{"amount":"120.50","to":"CH93"}"#.utf8)))
        let signature = try token.signature(of: data, challenge: "ABCD.\(digest)")
        let question = SHA256.hash(data: Array("ABCD.\(digest)".utf8)).map {
            String(format: "%02x", $0)
        }.joined()
        let suite = try OCRASuite("OCRA-1:HOTP-SHA256-8:QH64")
        let expected = try OCRA(suite).response(
            to: OCRAInput(question: OCRAQuestion(question, for: suite)),
            with: OTPSecret(bytes: Self.secret))
        #expect(signature.text == expected.text && signature.text.count == 8)
        for challenge in [
            "ABCD.\(digest)x", "ABCD", ".\(digest)", "ABCD.\(digest).more", digest, "",
        ] {
            #expect(throws: OTPError(.challenge, ""), "\(challenge)") {
                try token.signature(of: data, challenge: challenge)
            }
        }
        #expect(throws: OTPError(.challenge, "")) {
            try token.signature(
                of: ["to": "CH93", "amount": "120.51"], challenge: "ABCD.\(digest)")
        }
        #expect(throws: OTPError(.field, "")) {
            try token.signature(of: [:], challenge: "ABCD.\(digest)")
        }
    }

    @Test("a token does not print its secret")
    func prints() async throws {
        let token = try await redeem(Server())
        var text = "\(token) \(String(reflecting: token))"
        dump(token, to: &text)
        #expect(
            !text.contains(token.secret.base32) && !text.contains("SHA256")
                && text.contains("aut_1"))
    }
}
