package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienKeys

/// The routes of a device with an OTP token whose owner approves a transaction that another device
/// has started.
///
/// Refusals are the same for unknown tokens, unknown or used codes, codes of other users and apps,
/// wrong signatures, and locks.
package struct OTPApprovalRoutes {
    let tokens: OTPService
    let metrics: Metrics
    /// Limits the codes tried for one token, known or not.
    let guesses: RateLimit
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("otp/approvals/show") { request, _ in
            let wanted = try await body.read(
                ShowApprovalRequest.self, ShowApprovalRequest.CodingKeys.self, from: request)
            let (token, code) = try Self.named(wanted.tokenID, wanted.approvalCode)
            let found = try await EvenPace.keep {
                try await mayTry(token) ? try await tokens.transaction(code, for: token) : nil
            }
            guard let found else { throw Self.refused }
            return JSONBody.response(
                ApprovalAnswer(
                    appID: found.app.text, approvalData: found.transaction.data,
                    transactionChallenge: found.transaction.challenge,
                    expiresAt: found.expiresAt.milliseconds))
        }
        router.post("otp/approvals") { request, _ in
            let wanted = try await body.read(
                DecideApprovalRequest.self, DecideApprovalRequest.CodingKeys.self, from: request)
            let (token, code) = try Self.named(wanted.tokenID, wanted.approvalCode)
            let passcode = try wanted.passcode.map(OTPVerificationRoutes.passcode)
            let isDone = try await EvenPace.keep {
                guard try await mayTry(token) else { return false }
                guard let passcode else { return try await tokens.decline(code, with: token) }
                return accepted(try await tokens.approve(code, with: token, passcode))
            }
            guard isDone else { throw Self.refused }
            return Response(status: .noContent)
        }
    }

    private static let refused = Problem(
        .invalidCredentials,
        "The approval code is wrong, was used before, has expired, or is not for this OTP token; or the signature is wrong, or the token is locked."
    )

    private func mayTry(_ token: AuthenticatorID) async throws -> Bool {
        try await guesses.take("token \(token.text)") == nil
    }

    private func accepted(_ judgment: OTPService.Judgment) -> Bool {
        guard case .accepted = judgment else {
            metrics.count(.authentications, ["type": "otp", "result": "refused"])
            return false
        }
        // The journey counts the accepted one.
        return true
    }

    private static func named(_ token: String, _ code: String) throws -> (
        AuthenticatorID, ApprovalCode
    ) {
        let id = try AuthenticatorID(token, field: "token_id")
        guard let code = ApprovalCode(typed: code) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "approval_code",
                        message: "must have ten letters and digits, such as 7K3QF-2M9XA")
                ])
        }
        return (id, code)
    }
}
