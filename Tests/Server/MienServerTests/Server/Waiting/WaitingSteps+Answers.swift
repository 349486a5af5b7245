import MienAPI
import MienClient
import MienCore
import Testing

/// Things that wait for a link, a camera, a phone, a reviewer, or for time to pass.
extension WaitingSteps {
    /// Answers what waited, and returns the account for which it acted.
    typealias Answer = @Sendable () async throws -> UserID?

    /// Lets something wait for a person who is known by a user name. What needs a mail expects a
    /// verified address.
    ///
    /// - Returns: What answers it; `nil` if it cannot wait now.
    func beginOutside(_ waiting: Waiting, of user: UserID, named name: String) async throws
        -> Answer?
    {
        let steps = self
        switch waiting {
        case .mailedLink:
            guard let link = try await removalLink(access(name)) else { return nil }
            return { try await steps.follow(link) ? user : nil }
        case .recovery:
            _ = try await enter(beginCode("recovery-email", in: "shop", of: name))
            guard let recovery = try await self.recovery(of: user) else { return nil }
            return { try await steps.recovery(of: user) == recovery ? user : nil }
        case .permission:
            _ = try await PageBrowser(server.address).signIn(
                PagesTests.authorize("guest"), name: name)
            guard let given = try await permission(of: user) else { return nil }
            return { try await steps.permission(of: user) == given ? user : nil }
        case .mailQueue:
            let mail = try await queueMail(about: user)
            return { try await steps.account(ofMessage: mail) }
        case .delivery:
            let message = try await queueMessage(about: user)
            return { try await steps.account(ofMessage: message) }
        case .device:
            let device = try await knowDevice(of: user)
            return { try await steps.account(ofDevice: device) }
        case .duplicateCase:
            let other = try await server.userID("boss")
            guard let duplicate = try await openDuplicate(of: user, and: other) else { return nil }
            return { try await steps.decideDuplicate(duplicate).first }
        case .capture:
            let capture = try await openCapture(of: user, in: "guest")
            return { try await steps.takePicture(capture.id, capture.token) }
        case .captureHandover:
            let capture = try await openCapture(of: user, in: "guest")
            let moving = try await move(capture)
            return { try await steps.takePicture(capture.id, moving.goOn()) }
        case .registrationCode:
            guard let code = try await registrationCode(access(name)) else { return nil }
            return {
                guard let token = try await steps.register(code) else { return nil }
                return try await steps.holder(ofToken: token)
            }
        case .approval:
            // A person has few tokens in an app.
            guard try await phones(of: user) < 4 else { return nil }
            let phone = try await self.phone(of: user, in: "shop")
            let payment = try await pay(in: "shop", of: name)
            return { try await steps.approve(payment, on: phone) ? user : nil }
        case .verification:
            let session = try await open(verificationLink(verifying(name)))
            return { try await steps.choose(in: session) ? user : nil }
        case .verificationLink:
            let link = try await verificationLink(verifying(name))
            return { try await steps.choose(in: steps.open(link)) ? user : nil }
        case .verificationHandover:
            let moving = try await WaitingHandover(
                .verification, verificationLink(verifying(name)), on: server)
            return { try await steps.choose(after: moving) ? user : nil }
        case .review:
            let review = try await openReview(of: user)
            return { try await steps.decide(review) }
        default: return nil
        }
    }

    private func access(_ name: String) async throws -> String? {
        try await TokenClient(server: server, app: "shop").signIn(name)["access_token"]
    }

    private func verifying(_ name: String) async throws -> VerifyingUser {
        try await VerifyingUser.signedIn(name, on: server, app: "shop")
    }

    private func phones(of user: UserID) async throws -> Int {
        try await server.admin.authenticators(of: user).count { $0.type == .known(.otp) }
    }

    private func holder(ofToken id: String) async throws -> UserID? {
        for account in try await server.admin.users().items {
            let user = try #require(UserID(account.id))
            let all = try await server.admin.authenticators(of: user)
            if all.contains(where: { $0.id == id }) { return user }
        }
        return nil
    }
}
