internal import HTTPTypes
package import Hummingbird
internal import MienCore

/// The pages with which people sign in and out. The OAuth routes check the requests of apps, and
/// the pages do the rest.
package protocol SignInPages: MessagePages {
    /// Answers a valid authorization request: with a page, or with a redirect to the app.
    ///
    /// - Parameter parameters: The request's parameters, to check them again after the sign-in.
    func signIn(
        _ wanted: AuthorizationService.Request, _ parameters: AuthorizationParameters,
        _ request: Request, _ context: MienRequestContext
    ) async throws -> Response

    /// A page that posts an answer to an app: OAuth 2.0 Form Post Response Mode.
    func post(_ answer: AuthorizationAnswer, _ request: Request) -> Response

    /// Signs the user of an ID token out, tells the apps in this browser, and sends it on.
    func signOut(_ wish: SignOutRequest, _ request: Request) async throws -> Response

    /// Asks the person whether to sign out, because the app did not prove that it asked for it.
    ///
    /// - Returns: `nil` if nobody is signed in in this browser.
    func signOutQuestion(_ wish: SignOutRequest, _ request: Request) async throws -> Response?
}

extension SignInPages {
    /// A page for a faulty request that cannot be reported to an app, because the app is unknown.
    ///
    /// - Parameter detail: What is wrong, for the app's developer.
    func fault(
        _ detail: String, status: HTTPResponse.Status = .badRequest, to request: Request
    ) -> Response {
        RequestFacts.note(
            refusal: .init(error: OAuthError.Code.invalidRequest.rawValue, description: detail))
        return response(MessagePage("fault", detail: detail, status: status), to: request)
    }
}
