internal import Logging
internal import MienAPI
package import MienIdentity

// What clients see of the errors of identity verification.

extension IdentityError: ReportedError {
    package var report: ErrorReport? {
        let problem: ProblemCode =
            switch code {
            case .recordNotFound: .notFound
            case .updateFailed: .conflict
            case .implausibleAge, .invalidAge, .unsupportedCountry, .informationNotProvided:
                .invalidRequest
            case .unsupportedNetworkLocation: .notPermitted
            case .consentRequired: .consentRequired
            case .unsupportedMethod, .alreadyVerified, .retriesExceeded, .retryBlocked,
                .dataRedacted:
                .verificationRefused
            }
        let detail = reason.prefix(1).uppercased() + reason.dropFirst() + "."
        return ErrorReport(
            problem: Problem(
                problem, field == nil ? detail : nil,
                errors: field.map { [.init(field: $0, message: reason)] },
                errorID: code.identifier))
    }
}

extension IdentitySourceError: ReportedError {
    package var report: ErrorReport? {
        ErrorReport(
            problem: Problem(
                .unavailable,
                "A trusted source does not answer. The attempt was not counted. Try again later."),
            // While the source is paused, log nothing: the failures that led to the pause were
            // logged.
            failure: self == .paused
                ? nil : ("an identity source failed", ["source.error": "\(self)"]))
    }
}

extension ReviewError: ReportedError {
    package var report: ErrorReport? {
        ErrorReport(
            problem: Problem(
                .conflict, description.prefix(1).uppercased() + description.dropFirst() + "."))
    }
}
