import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienStore
import Testing

@testable import MienServer

/// The steps of verifications and their reviews.
extension WaitingSteps {
    /// Returns the link to the verification session of a user: the same until it is used.
    func verificationLink(_ user: VerifyingUser) async throws -> String {
        let answer = try await user.send(.post, "/document-capture").body
        return try #require(answer["documentCaptureUrl"]?.stringValue, "\(answer)")
    }

    /// Opens the verification session of a link.
    func open(_ link: String) async throws -> CapturingPerson? {
        try await DecidedSessions.person(link, on: server)
    }

    /// Returns whether a document can be chosen in a verification session.
    func choose(in person: CapturingPerson?) async throws -> Bool {
        try await person?.choose("driverLicense", country: "US").status == 200
    }

    /// Returns whether a document can be chosen on the phone to which a session moves.
    func choose(after handover: WaitingHandover) async throws -> Bool {
        guard let token = try await handover.goOn() else { return false }
        return try await choose(in: CapturingPerson(server: server, token: token))
    }

    /// Opens a review of data that a user has sent to an app of others.
    func openReview(of user: UserID) async throws -> ReviewCaseID {
        var generator = SystemRandomNumberGenerator()
        let now = server.time.now, app = Self.guest
        let attempt = AttemptRecord(
            id: .random(using: &generator), account: user, app: app, kind: .personalData,
            begunAt: now, contentExpiresAt: now + .seconds(3600), content: Sensitive([1]))
        let review = ReviewCaseRecord(
            review: ReviewCase(
                id: .random(using: &generator), attempt: attempt.id, needsSecondReviewer: false),
            account: user, app: app, openedAt: now)
        try await server.server.parts.store.write { tables in
            let account = try #require(try tables.accounts.find(user))
            try tables.verificationAttempts.insert(attempt, images: [], of: account)
            try tables.reviewCases.insert(review)
        }
        return review.review.id
    }

    /// Decides a review.
    ///
    /// - Returns: The account that it was about; `nil` if there is no such review.
    func decide(_ review: ReviewCaseID) async throws -> UserID? {
        guard try await isFound({ try await server.admin.decide(review.text, .askAgain) }) else {
            return nil
        }
        return try await server.server.parts.store.read {
            try $0.reviewCases.find(review)?.account
        }
    }

    /// - Returns: Whether a reviewer could decide; `false` if there is no such case.
    func isFound<Answer: Sendable>(_ decide: @Sendable () async throws -> Answer) async throws
        -> Bool
    {
        do { _ = try await decide() } catch let error as MienError
            where error.problem?.code == .notFound
        { return false }
        return true
    }
}
