import MienCore
import MienIdentity
import Testing

@Suite("Verification sessions")
struct VerificationSessionTests {
    typealias Session = VerificationSession

    static let start = Instant(milliseconds: 1_800_000_000_000)
    static let end = start + .seconds(3600)
    static let germany = DocumentIssuer(rawValue: "DE")!
    static let card = SessionDocument(country: germany, type: .idCard)
    static let passport = SessionDocument(country: germany, type: .passport)

    enum Event: Hashable {
        case consent
        case choose(SessionDocument)
        case receive(SessionPicture)
        case take(SessionPicture)
        case submit
        case reject(SessionPicture)
        case judge(Session.Judgment)
        case cancel
        case expire(Instant)

        static let all: [Event] =
            [.consent, .choose(card), .choose(passport), .submit, .cancel, .expire(start)]
            + [.expire(end), .judge(.complete(.allow)), .judge(.complete(.challenge))]
            + [.judge(.notJudged), .reject(.documentFront)]
            + SessionPicture.allCases.flatMap { [.receive($0), .take($0)] }
            + SessionPicture.allCases.map {
                .judge(.recapture([SessionRecapture(picture: $0, reasons: [.documentDamaged])]))
            }

        /// - Returns: the refusal, if the event is refused.
        func apply(to session: inout Session) -> Session.Refusal? {
            do throws(Session.Refusal) {
                switch self {
                case .consent: try session.consent(to: "1")
                case .choose(let document): _ = try session.choose(document)
                case .receive(let picture): try session.receive(picture)
                case .take(let picture): try session.take(picture)
                case .submit: try session.submit()
                case .reject(let picture): _ = session.reject(picture)
                case .judge(let judgment): _ = session.judge(judgment, at: start)
                case .cancel: _ = session.cancel(at: start)
                case .expire(let now): _ = session.expire(at: now)
                }
                return nil
            } catch { return error }
        }
    }

    /// The pictures that a session asks for, from the words of the contract.
    static func complete(_ session: Session) -> Set<SessionPicture> {
        var pictures: Set<SessionPicture> = []
        if session.parts.contains(.selfie) { pictures.insert(.selfie) }
        if session.parts.contains(.document) {
            pictures.insert(.documentFront)
            if session.document?.type != .passport { pictures.insert(.documentBack) }
            if session.parts.contains(.documentLive) { pictures.insert(.documentTilt) }
        }
        return pictures
    }

    /// Nobody has to tilt the document.
    static func isComplete(_ session: Session) -> Bool {
        complete(session).subtracting([.documentTilt]).isSubset(of: session.captured)
    }

    /// The refusal of an event, written independently.
    static func refusal(of event: Event, in session: Session) -> Session.Refusal? {
        switch event {
        case .judge, .cancel, .expire, .reject: return nil
        default: break
        }
        if [.complete, .canceled, .expired].contains(session.status) { return .ended }
        if session.status == .processing { return .processing }
        if event == .consent { return nil }
        if session.needsConsent, session.consentVersion == nil { return .consentMissing }
        let wantsDocument = session.parts.contains(.document)
        switch event {
        case .choose: return wantsDocument ? nil : .notNeeded
        case .receive(let picture):
            if picture != .selfie, wantsDocument, session.document == nil {
                return .documentMissing
            }
            guard complete(session).contains(picture) else { return .notNeeded }
            return session.pictures == Session.maxPictures ? .tooManyPictures : nil
        case .take(let picture):
            let isKnown = picture == .selfie || session.document != nil
            return complete(session).contains(picture) && isKnown ? nil : .notNeeded
        case .submit:
            return isComplete(session) ? nil : .picturesMissing
        default: return nil
        }
    }

    @Test("every reachable state keeps the promises, whatever happens in it")
    func smallWorld() {
        for parts in [
            [.document], [.selfie], [.document, .selfie], [.document, .documentLive],
        ] as [Set<SessionPart>] {
            for needsConsent in [true, false] {
                var statuses: Set<Session.Status> = []
                var seen: Set<Session> = []
                var open = [
                    Session(parts: parts, needsConsent: needsConsent, expiresAt: Self.end)
                ]
                while let session = open.popLast() {
                    guard seen.insert(session).inserted else { continue }
                    statuses.insert(session.status)
                    check(session)
                    for event in Event.all {
                        var next = session
                        let refused = event.apply(to: &next)
                        #expect(refused == Self.refusal(of: event, in: session))
                        if refused != nil { #expect(next == session, "a refusal changes nothing") }
                        check(session, event, next)
                        // Every count of pictures behaves alike until the last one.
                        guard next.pictures < 2 else { continue }
                        open.append(next)
                    }
                }
                #expect(statuses == Set(Session.Status.allCases))
                #expect(seen.count > 40)
            }
        }
    }

    private func check(_ session: Session) {
        #expect((session.recommendation != nil) == (session.status == .complete))
        #expect((session.endedAt != nil) == session.status.isFinal)
        #expect((0...Session.maxSubmissions).contains(session.submissions))
        #expect(session.captured.isSubset(of: Self.complete(session)))
        #expect(session.status != .processing || Self.isComplete(session))
        let missing =
            session.status.isOpen
            ? Self.complete(session).subtracting(session.captured) : []
        #expect(Set(session.missing) == missing && session.missing == session.missing.sorted())
        #expect(session.recaptures.allSatisfy { !session.captured.contains($0.picture) })
    }

    private func check(_ session: Session, _ event: Event, _ next: Session) {
        let count = session.rejections.values.reduce(0, +)
        if case .reject = event {
            #expect(next.rejections.values.reduce(0, +) == min(Session.maxRejections, count + 1))
            return
        }
        if event == .judge(.notJudged), session.status == .processing {
            #expect(next.status == .recapture && next.submissions == session.submissions - 1)
            #expect(
                next.missing.allSatisfy { $0 == .documentTilt },
                "the same submission may be repeated")
        }
        if session.status.isFinal { #expect(next == session, "an end is final: \(event)") }
        guard next.status != session.status else { return }
        switch next.status {
        case .requiresInput: Issue.record("nothing leads back to the beginning")
        case .processing: #expect(session.status.isOpen && event == .submit)
        case .recapture, .complete: #expect(session.status == .processing)
        case .canceled: #expect(event == .cancel)
        case .expired where session.status == .processing:
            // The last submission was unreadable.
            guard case .judge(.recapture) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(session.submissions == Session.maxSubmissions)
        case .expired: #expect(session.status.isOpen && event == .expire(Self.end))
        }
    }

    @Test(
        "pictures are limited, and the last unreadable submission ends the session without a denial"
    )
    func limits() throws {
        var session = Session(parts: [.document], needsConsent: false, expiresAt: Self.end)
        try session.choose(Self.passport)
        for _ in 0..<Session.maxPictures { try session.receive(.documentFront) }
        #expect(throws: Session.Refusal.tooManyPictures) { try session.receive(.documentFront) }
        let again = Session.Judgment.recapture([
            SessionRecapture(picture: .documentFront, reasons: [.poorImageQuality])
        ])
        for number in 1...Session.maxSubmissions {
            try session.take(.documentFront)
            try session.submit()
            let isJudged = session.judge(again, at: Self.start)
            #expect(isJudged)
            #expect(session.status == (number < Session.maxSubmissions ? .recapture : .expired))
        }
        #expect(session.recommendation == nil && session.endedAt == Self.start)
    }

    @Test("another kind of document drops the pictures of the first")
    func otherDocument() throws {
        var session = Session(
            parts: [.document, .selfie], needsConsent: false, expiresAt: Self.end)
        try session.choose(Self.card)
        for picture in SessionPicture.allCases where picture != .documentTilt {
            try session.take(picture)
        }
        #expect(try session.choose(Self.card) == [], "the same document changes nothing")
        #expect(try session.choose(Self.passport) == [.documentFront, .documentBack])
        #expect(session.missing == [.documentFront] && session.captured == [.selfie])
    }
}
