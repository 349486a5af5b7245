import MienAttestation
import MienCore
import MienKeys
import Testing

@Suite struct WebAuthnAuthenticationTests {
    private static func device(_ algorithm: DeviceKeyAlgorithm = .es256) -> VirtualAuthenticator {
        VirtualAuthenticator(algorithm).with {
            ($0.flags, $0.counter) = (0x05, 8)
            $0.client["type"] = "webauthn.get"
        }
    }

    private static func verify(
        _ response: AuthenticationVerifier.Response, _ device: VirtualAuthenticator,
        counter: UInt32 = 7, eligible: Bool = false,
        handle: [UInt8]? = nil, rp: RelyingParty = VirtualAuthenticator.rp
    ) throws -> WebAuthnAuthentication {
        try AuthenticationVerifier(relyingParty: rp).verify(
            response,
            credential: .init(
                id: device.id, key: device.signer.publicKey, counter: counter,
                isBackupEligible: eligible, userHandle: handle),
            challenge: VirtualAuthenticator.challenge)
    }

    private static func code(_ change: (inout VirtualAuthenticator) -> Void) throws
        -> AttestationError.Code?
    {
        let device = device().with(change), response = try device.answer()
        return refusal { _ = try verify(response, device) }
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `a response with the credential's key is accepted`(algorithm: DeviceKeyAlgorithm) throws {
        let device = Self.device(algorithm), result = try Self.verify(device.answer(), device)
        #expect(
            result.counter == .grew(from: 7, to: 8) && result.isUserVerified && !result.isBackedUp)
    }

    @Test func `each rule has its code`() throws {
        #expect(try Self.code { $0.client["type"] = "webauthn.create" } == .ceremony)
        #expect(
            try Self.code { $0.client["challenge"] = .string(Base64URL.encode([1])) } == .challenge)
        #expect(try Self.code { $0.client["origin"] = "https://example.com" } == .origin)
        #expect(try Self.code { $0.client["crossOrigin"] = true } == .crossOrigin)
        #expect(try Self.code { $0.rpID = "example.com" } == .relyingParty)
        #expect(try Self.code { $0.flags = 0x04 } == .userPresence)
        #expect(try Self.code { $0.flags = 0x01 } == .userVerification)
        #expect(try Self.code { $0.flags = 0x15 } == .backup)
        #expect(try Self.code { $0.flags = 0x0d } == .backup)
        #expect(try Self.code { $0.more = [1] } == .authenticatorData)
        let device = Self.device()
        var response = try device.answer()
        response.credentialID = [1]
        #expect(refusal { _ = try Self.verify(response, device) } == .credential)
        response = try Self.device().answer()
        #expect(refusal { _ = try Self.verify(response, device) } == .signature)
        #expect(refusal { _ = try Self.verify(device.answer(), device, eligible: true) } == .backup)
    }

    @Test func `an authenticator that names a user must name the right one`() throws {
        let device = Self.device()
        var response = try device.answer()
        #expect(refusal { _ = try Self.verify(response, device, handle: [1]) } == nil)
        response.userHandle = [1]
        #expect(
            refusal { _ = try Self.verify(response, device, handle: [1]) } == nil
                && refusal { _ = try Self.verify(response, device) } == nil)
        #expect(refusal { _ = try Self.verify(response, device, handle: [2]) } == .credential)
        response.userHandle = []
        #expect(
            refusal { _ = try Self.verify(response, device, handle: [2]) } == nil,
            "an empty handle is none")
    }

    @Test func `a counter that has not grown is reported, not rejected`() throws {
        func counter(_ received: UInt32, stored: UInt32) throws -> SignatureCounter {
            let device = Self.device().with { $0.counter = received }
            return try Self.verify(device.answer(), device, counter: stored).counter
        }
        #expect(
            try counter(1, stored: 0) == .grew(from: 0, to: 1) && counter(0, stored: 0) == .unused)
        #expect(try counter(7, stored: 7) == .possibleClone(stored: 7, received: 7))
        #expect(try counter(6, stored: 7) == .possibleClone(stored: 7, received: 6))
        #expect(try counter(0, stored: 7) == .possibleClone(stored: 7, received: 0))
        #expect(
            SignatureCounter.possibleClone(stored: 7, received: 6).stored == 7
                && SignatureCounter.grew(from: 1, to: 9).stored == 9)
        #expect(SignatureCounter.unused.stored == 0)
    }

    @Test func `a response with a changed bit is rejected`() throws {
        let device = Self.device(), right = try device.answer()
        func check(_ path: WritableKeyPath<AuthenticationVerifier.Response, [UInt8]>) {
            for bit in 0..<right[keyPath: path].count * 8 {
                var wrong = right
                wrong[keyPath: path][bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(refusal { _ = try Self.verify(wrong, device) } != nil, "bit \(bit)")
            }
        }
        check(\.credentialID)
        check(\.clientDataJSON)
        check(\.authenticatorData)
        check(\.signature)
    }

    @Test func `an ECDSA signature that is not DER is rejected`() throws {
        let device = Self.device()
        var response = try device.answer()
        response.signature = try #require(ES256Signature.raw(der: response.signature))
        #expect(refusal { _ = try Self.verify(response, device) } == .signature)
    }
}
