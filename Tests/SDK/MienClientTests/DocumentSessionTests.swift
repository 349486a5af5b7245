import MienAPI
import MienCore
import MienIdentity
import Testing

@testable import MienClient

@Suite("Sessions with documents")
struct DocumentSessionTests {
    private func session(_ transport: ScriptedTransport, _ naps: Naps = Naps()) throws
        -> DocumentSession
    {
        try JourneyClient(options(transport), sleep: naps.sleep).documentSession(
            startToken: Sensitive("idv_1.secret"))
    }

    private static func answer(
        _ status: VerificationSession.Status = .requiresInput, missing: [SessionPicture] = [],
        consents: Bool = true, required: [SessionPart] = [.document, .selfie],
        type: IdentityDocumentType? = .idCard
    ) -> VerificationSessionAnswer {
        VerificationSessionAnswer(
            sessionID: "idv_1", status: .known(status), appName: "Shop", expiresAt: 0,
            consent: consents ? nil : .init(content: "text", language: "en", version: "1"),
            missingImages: missing.map { .known($0) }, required: required.map { .known($0) },
            country: type == nil ? nil : "US", documentType: type.map { .known($0) },
            supportedCountries: ["US"], supportedDocumentTypes: [.known(.idCard)],
            supportedDocuments: [])
    }

    @Test("each request goes to its route with the start token")
    func requests() async throws {
        let verdict = VerificationPictureAnswer(accepted: true, missingImages: [])
        let transport = ScriptedTransport([
            .json(Self.answer()), .json(Self.answer()), .json(Self.answer()),
            .json(VerificationPreviewAnswer(corners: nil, faults: [], ready: false)),
            .json(verdict), .json(verdict), .json(VerificationSelfieAnswer(startToken: "cap_1.s")),
            .json(Self.answer(.processing)), .json(Self.answer(.canceled)),
        ])
        let session = try session(transport)
        _ = try await session.status()
        try await session.giveConsent(to: .init(content: "text", language: "en", version: "7"))
        try await session.choose(country: "US", type: .idCard)
        _ = try await session.preview([1])
        _ = try await session.put(CaptureFrame([2], .png), of: .documentBack)
        _ = try await session.putTilted([[3], [4], [5], [6]])
        _ = try await session.startSelfie()
        try await session.submit()
        try await session.cancel()
        let base = "https://login.example/v1/verification/"
        #expect(
            transport.requests.map { "\($0.method.rawValue) \($0.url.dropFirst(base.count))" } == [
                "GET session", "POST consent", "POST document", "POST preview",
                "PUT images/document_back", "PUT images/document_tilt", "POST selfie",
                "POST submit", "DELETE session",
            ])
        #expect(
            transport.requests.allSatisfy { $0.headers["authorization"] == "Bearer idv_1.secret" })
        #expect(try body(transport.requests[1], as: IdentityConsentRequest.self).version == "7")
        #expect(transport.requests[4].headers["content-type"] == "image/png")
        let form = try MultipartForm(
            parsing: transport.requests[5].body,
            contentType: transport.requests[5].headers["content-type"] ?? "")
        #expect(form.parts.map(\.name) == ["frame1", "frame2", "frame3", "frame4"])
        #expect(form.parts.map { Array($0.content) } == [[3], [4], [5], [6]])
    }

    @Test("the next step follows from what the server says")
    func steps() {
        typealias Session = DocumentSession
        let all: [SessionPicture] = [.documentFront, .documentTilt, .documentBack, .selfie]
        #expect(Session.step(of: Self.answer(missing: all, consents: false)) == .consent)
        #expect(Session.step(of: Self.answer(missing: all, type: nil)) == .chooseDocument)
        #expect(
            Session.step(of: Self.answer(missing: [.selfie], required: [.selfie], type: nil))
                == .selfie)
        #expect(Session.step(of: Self.answer(missing: all)) == .picture(.documentFront))
        #expect(
            Session.step(of: Self.answer(missing: [.documentBack, .documentTilt, .selfie]))
                == .picture(.documentTilt))
        #expect(
            Session.step(
                of: Self.answer(missing: [.documentTilt, .documentBack]), skipsTilt: true)
                == .picture(.documentBack))
        #expect(Session.step(of: Self.answer(missing: [.documentTilt]), skipsTilt: true) == .submit)
        #expect(Session.step(of: Self.answer()) == .submit)
        for (status, step) in [
            (VerificationSession.Status.processing, DocumentStep.processing),
            (.complete, .complete), (.canceled, .canceled), (.expired, .expired),
        ] { #expect(Session.step(of: Self.answer(status, missing: all)) == step) }
    }

    @Test("a submission whose answer was lost is sent again only if it did not arrive")
    func lostSubmission() async throws {
        let arrived = ScriptedTransport([
            .fault(.interrupted), .json(Self.answer(.processing)),
        ])
        #expect(try await session(arrived).submit().status == .known(.processing))
        #expect(arrived.requests.map(\.method) == [.post, .get])
        let missed = ScriptedTransport([
            .fault(.interrupted), .json(Self.answer()), .json(Self.answer(.processing)),
        ])
        #expect(try await session(missed).submit().status == .known(.processing))
        #expect(missed.requests.map(\.method) == [.post, .get, .post])
    }

    @Test("waiting ends with the judgment, or after its limit")
    func judged() async throws {
        let naps = Naps()
        let transport = ScriptedTransport([
            .json(Self.answer(.processing)), .json(Self.answer(.processing)),
            .json(Self.answer(.complete)),
        ])
        #expect(try await session(transport, naps).judged().status == .known(.complete))
        #expect(naps.all.count == 2 && naps.all[0] == .seconds(1))
        let slow = ScriptedTransport(
            (0..<9).map { _ in .json(Self.answer(.processing)) })
        #expect(
            try await session(slow).judged(within: .seconds(2)).status == .known(.processing))
        #expect(slow.requests.count == 3)
    }

    @Test("a step opens the session that its start token is for")
    func ofStep() async throws {
        let transport = ScriptedTransport([
            .json(
                JourneyAnswer.step(
                    "identityVerification", data: ["payload": ["start_token": "idv_2.s"]])),
            .json(Self.answer()),
            .json(JourneyAnswer.step("selfieAcquisition", data: ["start_token": "cap_2.s"])),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        var steps = journey.steps.makeAsyncIterator()
        let first = try #require(try await steps.next())
        _ = try await first.documentSession().status()
        #expect(transport.requests[1].headers["authorization"] == "Bearer idv_2.s")
        try await first.respond()
        let second = try #require(try await steps.next())
        #expect(throws: MienError(.invalidState, "")) { try second.documentSession() }
        #expect("\(try first.documentSession())" == "‹verification session›")
    }
}
