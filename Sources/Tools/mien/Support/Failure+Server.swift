import MienAPI
package import MienClient
package import MienServer
package import MienTools

extension ServerStartError: FailureConvertible {
    package var failure: Failure { Failure(.notSetUp, code.rawValue, description) }
}

extension MienError: FailureConvertible {
    package var failure: Failure { Failure(self, about: nil) }
}

extension Failure {
    /// Creates a failure for an error response or for a server that does not respond.
    ///
    /// - Parameter subject: what the request was about, such as a file.
    init(_ error: MienError, about subject: String? = nil) {
        let (outcome, code) = Self.meaning(of: error)
        let advice =
            switch code {
            case "server.unreachable":
                "; check that it is running and that the address is right (--server, MIEN_ADMIN_SERVER, MIEN_SERVER)"
            case "server.credential": "; use the one that the server printed on its first start"
            case "server.busy":
                error.retryAfter.map { "; try again in \($0.components.seconds) s" }
                    ?? "; try again later"
            default: ""
            }
        let fields = error.fields.map {
            $0.field.isEmpty ? $0.message : "\($0.field) \($0.message)"
        }
        let cause =
            switch code {
            case "server.address": "the server's address: \(error.reason)"
            case "server.credential": "The server refused the credential"
            default: error.reason
            }
        // Reasons are sentences, and the advice continues them.
        let reason = ([cause] + fields).map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
            .joined(separator: "; ")
        self.init(outcome, code, (subject.map { "\($0): " } ?? "") + reason + advice)
    }

    private static func meaning(of error: MienError) -> (Outcome, String) {
        switch error.problem?.code {
        case .invalidRequest, .payloadTooLarge, .unsupportedMediaType, .clientResponseNotValid,
            .imageNotAccepted:
            (.badInput, "server.invalid-request")
        case .notFound: (.badInput, "server.not-found")
        case .conflict, .invalidState, .captureClosed, .liveCaptureRequired, .frameOutOfOrder,
            .noActiveJourney, .consentRequired, .captureReplaced, .verificationRefused:
            (.badInput, "server.conflict")
        case .invalidCredentials, .insufficientUserAuthentication:
            (.notSetUp, "server.credential")
        case .notPermitted: (.notSetUp, "server.not-permitted")
        case .tooManyRequests, .unavailable: (.notSetUp, "server.busy")
        case .methodNotAllowed, .serverError: (.notSetUp, "server.failed")
        case nil:
            switch error.code {
            case .invalidInitializationOptions: (.badInput, "server.address")
            case .networkError: (.notSetUp, "server.unreachable")
            case .invalidCredentials, .unauthenticatedUser, .reauthenticationRequired:
                (.notSetUp, "server.credential")
            case .notInitialized, .noActiveJourney, .clientResponseNotValid, .serverError,
                .invalidState, .expiredOTPPasscode, .oauthError:
                (.notSetUp, "server.failed")
            }
        }
    }
}
