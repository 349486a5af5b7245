#if canImport(AuthenticationServices)
internal import AuthenticationServices
internal import Foundation
#if canImport(UIKit)
internal import UIKit
#endif

/// The system's browser for sign-in, `ASWebAuthenticationSession`: for
/// ``MienSession/authenticate(redirectURI:_:presenter:)`` and other hosted pages.
///
///     try await session.authenticate(
///         redirectURI: "com.example.shop://signed-in", presenter: SystemBrowser.presenter())
@MainActor
public enum SystemBrowser {
    /// - Parameter isEphemeral: Whether the browser forgets the visit, and knows none before.
    public nonisolated static func presenter(isEphemeral: Bool = false) -> SignInPresenter {
        { page in
            try await open(page.url, until: page.callbackScheme, isEphemeral: isEphemeral)
        }
    }

    /// Opens a page, and waits until it goes to an address with the app's scheme.
    ///
    /// - Parameters:
    ///   - url: The page's address, such as `payload.endpoint` of a step.
    ///   - scheme: A scheme of the app, such as `com.example.shop`, that its redirect URIs list on
    ///     the server. `Info.plist` needs no entry for it.
    /// - Returns: that address.
    /// - Throws: `CancellationError` if the person closes the browser; ``MienError`` `.invalidState`
    ///   if it cannot be opened.
    @discardableResult
    public static func open(_ url: String, until scheme: String, isEphemeral: Bool = false)
        async throws -> String
    {
        // For a page of another scheme, or a malformed scheme, the system ends the app.
        guard let page = URL(string: url), page.scheme?.lowercased().isWeb == true else {
            throw MienError(
                .invalidState, "The page's address must begin with https:// or http://.")
        }
        guard scheme.isScheme, !scheme.lowercased().isWeb else {
            throw MienError(
                .invalidState,
                "“\(scheme)” is not a scheme of an app. Pass one such as com.example.shop.")
        }
        let visit = Visit()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { done in
                visit.begin(page, scheme, isEphemeral, done)
            }
        } onCancel: {
            Task { @MainActor in visit.cancel() }
        }
    }

    /// One visit. Holds the browser until it has ended.
    @MainActor
    private final class Visit: NSObject, ASWebAuthenticationPresentationContextProviding {
        private var session: ASWebAuthenticationSession?
        private var done: CheckedContinuation<String, any Error>?

        func begin(
            _ page: URL, _ scheme: String, _ isEphemeral: Bool,
            _ done: CheckedContinuation<String, any Error>
        ) {
            self.done = done
            let session = ASWebAuthenticationSession(url: page, callbackURLScheme: scheme) {
                @Sendable [weak self] address, error in
                let isCanceled =
                    (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                let text = address?.absoluteString
                Task { @MainActor in self?.end(text, isCanceled: isCanceled) }
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            self.session = session
            if !session.start() { end(nil, isCanceled: false) }
        }

        func cancel() {
            session?.cancel()
            end(nil, isCanceled: true)
        }

        private func end(_ address: String?, isCanceled: Bool) {
            guard let done else { return }
            (self.done, session) = (nil, nil)
            if let address {
                done.resume(returning: address)
            } else if isCanceled {
                done.resume(throwing: CancellationError())
            } else {
                done.resume(
                    throwing: MienError(.invalidState, "The system's browser could not be opened."))
            }
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            #if canImport(UIKit)
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            let active = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
            if let window = active?.keyWindow { return window }
            #endif
            return ASPresentationAnchor()
        }
    }
}

extension String {
    fileprivate var isWeb: Bool { self == "https" || self == "http" }

    /// RFC 3986 §3.1.
    fileprivate var isScheme: Bool {
        first?.isLetter == true
            && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
#endif
