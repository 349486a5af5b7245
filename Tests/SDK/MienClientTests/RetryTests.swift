import Foundation
import MienAPI
import MienCore
import Synchronization
import Testing

@testable import MienClient

/// A server with one journey of three steps that issues state tokens as the real one does, behind a
/// network that loses one message.
final class TokenServer: HTTPTransport {
    enum Loss: CaseIterable { case request, answer }

    struct Book: Sendable {
        var sent = 0
        var token = 0
        var steps: [String] = []
        var bodies: [String: Set<[UInt8]>] = [:]
        var last: (request: [UInt8], answer: JourneyAnswer)?
        var starts = 0
    }

    let book = Mutex(Book())
    let loss: Loss
    let lostMessage: Int

    init(losing loss: Loss, number: Int) { (self.loss, lostMessage) = (loss, number) }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try book.withLock { book in
            book.sent += 1
            let isLost = book.sent == lostMessage
            if isLost, loss == .request { throw HTTPTransportError(.unreachable, "lost") }
            let response = try answer(request, &book)
            if isLost { throw HTTPTransportError(.interrupted, "lost") }
            return response
        }
    }

    private func answer(_ request: HTTPTransportRequest, _ book: inout Book) throws
        -> HTTPTransportResponse
    {
        if request.url.hasSuffix("/start") {
            book.starts += 1
            book.token = 1
            return try ok(.step("loginForm", state: "t1", options: ["password": "custom"]))
        }
        let sent: RespondRequest = try body(request)
        book.bodies[sent.state, default: []].insert(request.body)
        if let last = book.last, sent.state == "t\(book.token - 1)" {
            guard last.request == request.body else { return try problem(.invalidState) }
            return try ok(last.answer)
        }
        guard sent.state == "t\(book.token)" else { return try problem(.invalidState) }
        book.steps.append(sent.option)
        book.token += 1
        let next: JourneyAnswer =
            switch book.steps.count {
            case 1: .step("recordConsent", state: "t\(book.token)")
            case 2: .step("information", state: "t\(book.token)")
            default: .success(deviceToken: "dev_1.secret")
            }
        book.last = (request.body, next)
        return try ok(next)
    }

    private func ok(_ answer: JourneyAnswer) throws -> HTTPTransportResponse {
        HTTPTransportResponse(status: 200, body: [UInt8](try JSONEncoder().encode(answer)))
    }

    private func problem(_ code: ProblemCode) throws -> HTTPTransportResponse {
        HTTPTransportResponse(
            status: code.status, body: [UInt8](try JSONEncoder().encode(Problem(code))))
    }
}

@Suite("Retries")
struct RetryTests {
    @Test(
        "whichever message is lost, each step is answered once and the journey succeeds",
        arguments: TokenServer.Loss.allCases, 1...6)
    func loss(_ loss: TokenServer.Loss, _ number: Int) async throws {
        let server = TokenServer(losing: loss, number: number), naps = Naps()
        let client = try JourneyClient(options(server), sleep: naps.sleep)
        let journey = try await client.start("sign-up")
        for try await step in journey.steps {
            switch step.id {
            case .loginForm:
                try await step.respond(
                    "password", ["username": "ada", "password": "correct horse"])
            default: try await step.respond()
            }
        }
        guard case .success = await journey.outcome() else {
            return #expect(Bool(false), "no success")
        }
        let book = server.book.withLock { $0 }
        #expect(book.steps == ["password", "client_input", "client_input"])
        #expect(book.bodies.values.allSatisfy { $0.count == 1 })
        #expect(naps.all.count == (number <= 4 ? 1 : 0))
    }

    @Test("only an answer that may have arrived can be sent again")
    func uncertain() async throws {
        let transport = ScriptedTransport([
            .json(
                JourneyAnswer.step(
                    "recordConsent", options: ["client_input": "client_input", "cancel": "cancel"]))
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        for _ in 1...4 { transport.add(.fault(.interrupted)) }
        await #expect(throws: MienError(.networkError, "")) { try await journey.respond() }
        #expect(transport.requests.count == 5)
        await #expect(throws: MienError(.invalidState, "")) { try await journey.respond(.cancel) }
        #expect(transport.requests.count == 5, "the other answer was not sent")
        transport.add(.fault(.timedOut), .json(JourneyAnswer.success()))
        #expect(try await journey.respond().journeyStepId == .success)
        #expect(Set(transport.requests.dropFirst().map(\.body)).count == 1)
    }

    @Test("retry repeats an answer that may have arrived, and sends nothing otherwise")
    func retry() async throws {
        var options = options(ScriptedTransport([]))
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("emailOTPAuthentication")), .fault(.timedOut),
            .json(JourneyAnswer.success()),
        ])
        (options.transport, options.retry) = (transport, .none)
        let journey = try await JourneyClient(options).start("j")
        await #expect(throws: MienError(.invalidState, "")) { try await journey.retry() }
        await #expect(throws: MienError(.networkError, "")) {
            try await journey.respond(.clientInput, ["passcode": "123456"])
        }
        try await journey.retry()
        #expect(transport.requests[1].body == transport.requests[2].body)
        await #expect(throws: MienError(.noActiveJourney, "")) { try await journey.respond() }
        #expect(transport.requests.count == 3)
    }

    @Test(
        "refused answers may be replaced; being turned away after a loss does not settle the lost answer"
    )
    func refused() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("loginForm")),
            .problem(
                .clientResponseNotValid,
                errors: [.init(field: "data.username", message: "is missing")]),
            .json(JourneyAnswer.step("loginForm", state: "run_1.b")), .fault(.interrupted),
            .problem(.tooManyRequests, retryAfter: 60),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        do { try await journey.respond("password", [:]) } catch let error as MienError {
            #expect(error.code == .clientResponseNotValid)
            #expect(error.fields.map(\.field) == ["data.username"])
        }
        try await journey.respond("password", ["username": "ada"])
        do {
            try await journey.respond("password", ["username": "bob"])
            #expect(Bool(false), "not refused")
        } catch let error as MienError {
            #expect(error.code == .networkError)
            #expect(error.retryAfter == .seconds(60))
        }
        await #expect(throws: MienError(.invalidState, "")) {
            try await journey.respond("password", ["username": "eve"])
        }
    }

    @Test(
        "delays double up to a limit; a server's Retry-After is respected, and one too long ends the retries"
    )
    func delays() async throws {
        let policy = RetryPolicy(attempts: 6, firstDelay: .seconds(1), longestDelay: .seconds(5))
        var generator = SystemRandomNumberGenerator()
        for (attempt, full) in zip(1..., [1.0, 2, 4, 5, 5]) {
            let delay = try #require(policy.delay(after: attempt, asked: nil, using: &generator))
            #expect(delay >= .seconds(full / 2) && delay <= .seconds(full))
        }
        #expect(policy.delay(after: 6, asked: nil, using: &generator) == nil)
        #expect(policy.delay(after: 1, asked: .seconds(5), using: &generator) == .seconds(5))
        #expect(policy.delay(after: 1, asked: .seconds(6), using: &generator) == nil)

        let naps = Naps()
        let transport = ScriptedTransport([
            .problem(.unavailable, retryAfter: 2), .json(JourneyAnswer.success()),
        ])
        _ = try await JourneyClient(options(transport), sleep: naps.sleep).start("j")
        #expect(naps.all == [.seconds(2)])
    }

    @Test("only one of two simultaneous answers is sent")
    func twoAtOnce() async throws {
        let transport = ScriptedTransport([.json(JourneyAnswer.step("recordConsent")), .never])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        let first = Task { try await journey.respond() }
        while transport.requests.count < 2 { await Task.yield() }
        await #expect(throws: MienError(.invalidState, "")) { try await journey.respond(.cancel) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        // The answer was canceled while being sent, so it may have arrived.
        await #expect(throws: MienError(.invalidState, "")) { try await journey.respond(.cancel) }
        transport.add(.json(JourneyAnswer.success()))
        #expect(try await journey.retry().hasEnded)
    }
}

@Suite("Journey progress")
struct JourneyProgressTests {
    enum Event: CaseIterable {
        case submitA, submitB, again, next, end, lost, refused, past, cancelled
    }

    /// Walks every path to a depth of eight. It independently states what must never happen:
    /// sending two answers to one state while the first may have arrived.
    @Test("no path sends another answer while one may have arrived")
    func world() {
        var paths = 0
        func walk(
            _ progress: JourneyProgress, open: (state: String, option: String)?, counter: Int,
            depth: Int
        ) {
            paths += 1
            guard depth > 0 else { return }
            for event in Event.allCases {
                var next = progress, open = open, counter = counter
                var isSending: Bool { if case .sending = progress.phase { true } else { false } }
                switch event {
                case .submitA, .submitB, .again:
                    let sent =
                        try? event == .again
                        ? next.resubmit()
                        : next.submit(event == .submitA ? .clientInput : .cancel, nil)
                    guard let sent else {
                        guard case .sending = next.phase, !isSending else { continue }
                        Issue.record("refused, but still sending")
                        continue
                    }
                    #expect(!isSending, "one at a time")
                    if let open, open.state == sent.state { #expect(open.option == sent.option) }
                    open = (sent.state, sent.option)
                case .next where isSending, .end where isSending:
                    counter += 1
                    next.received(
                        event == .end ? .success() : .step("information", state: "s\(counter)"))
                    open = nil
                case .lost where isSending: next.failed(MienError(.networkError, ""))
                case .cancelled where isSending: next.failed(nil)
                case .refused where isSending:
                    next.failed(MienError(Problem(.clientResponseNotValid)))
                    open = nil
                case .past where isSending:
                    next.failed(MienError(Problem(.invalidState)))
                    #expect(throws: MienError.self) { try next.submit(.clientInput, nil) }
                    continue
                case .next, .end, .lost, .cancelled, .refused, .past: continue
                }
                walk(next, open: open, counter: counter, depth: depth - 1)
            }
        }
        walk(JourneyProgress(.step("information", state: "s0")), open: nil, counter: 0, depth: 8)
        #expect(paths > 1000)
    }

    @Test("an old step cannot answer the step after it")
    func turns() throws {
        var progress = JourneyProgress(.step("information", state: "s0"))
        _ = try progress.submit(.clientInput, nil, to: 1)
        progress.received(.step("recordConsent", state: "s1"))
        #expect(throws: MienError(.invalidState, "")) {
            try progress.submit(.clientInput, nil, to: 1)
        }
        #expect(try progress.submit(.clientInput, nil, to: 2).state == "s1")
    }
}
