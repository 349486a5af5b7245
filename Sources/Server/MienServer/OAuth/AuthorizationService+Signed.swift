internal import MienAPI
internal import MienCore
internal import MienStore

/// Requests that apps have signed: RFC 9101.
extension AuthorizationService {
    /// Replaces the parameters of a request by those of its object `request`, if it has one and the
    /// app has keys. ``request(_:)`` refuses the object of any other app.
    ///
    /// - Throws: ``Fault`` with `invalid_request_object`.
    func unwrapped(_ form: FormBody, _ text: String) async throws -> AuthorizationParameters {
        guard let object = form["request"], let id = form["client_id"].flatMap({ AppID($0) }),
            let app = try? await apps.find(id), app.settings.hasKeys
        else { return AuthorizationParameters(text: text) }
        do {
            let message = try await keys.message(
                object, of: app, by: app.settings.signatureAlgorithms)
            let read = try RequestObject(message, of: app, issuer: publicURL(), at: clock.now)
            var parameters = AuthorizationParameters(text: FormFields(read.fields).text)
            parameters.isSigned = true
            return parameters
        } catch let error as ClientKeys.Refused {
            throw refusal(error.reason, form, app)
        } catch let error as RequestObject.Invalid {
            throw refusal(error.reason, form, app)
        }
    }

    /// Goes to the app if the request outside of the object names one of its addresses.
    private func refusal(_ reason: String, _ form: FormBody, _ app: AppRecord) -> Fault {
        let words = "The request object is invalid: \(reason)."
        guard let address = form["redirect_uri"], app.settings.allowsRedirect(to: address) else {
            return .page("invalid_request_object: \(words)")
        }
        let mode = form["response_mode"].flatMap { AuthorizationAnswer.Mode(rawValue: $0) }
        return .answer(
            answer(
                to: address, mode ?? .query,
                [
                    ("error", OAuthError.Code.invalidRequestObject.rawValue),
                    ("error_description", words),
                ], form["state"]))
    }
}
