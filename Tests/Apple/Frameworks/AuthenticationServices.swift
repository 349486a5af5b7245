// The parts of Apple's AuthenticationServices that the SDK and the portal's code for phones use, with
// the browser of `FakePhone`. Source: developer.apple.com/documentation/authenticationservices, the
// pages aswebauthenticationsession, aswebauthenticationpresentationcontextproviding, and
// aswebauthenticationsessionerror.
import FakePhone
@_exported import Foundation
import UIKit

public typealias ASPresentationAnchor = UIWindow

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: CustomNSError {
    public enum Code: Int {
        case canceledLogin = 1, presentationContextNotProvided = 2, presentationContextInvalid = 3
    }

    public let code: Code
    public static var errorDomain: String {
        "com.apple.AuthenticationServices.WebAuthenticationSession"
    }
    public var errorCode: Int { code.rawValue }
}

@MainActor open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void
    private let url: URL
    private let scheme: String
    private let completion: CompletionHandler
    private var visit: Task<Void, Never>?

    public init(
        url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler
    ) {
        (self.url, scheme, completion) = (url, callbackURLScheme ?? "", completionHandler)
    }
    public weak var presentationContextProvider:
        (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    @discardableResult open func start() -> Bool {
        guard presentationContextProvider?.presentationAnchor(for: self) != nil else {
            completion(nil, ASWebAuthenticationSessionError(code: .presentationContextNotProvided))
            return false
        }
        let (url, scheme) = (url, scheme)
        visit = Task {
            do {
                let end = try await FakePhone.shared.with { $0.browser }(url, scheme)
                completion(end, nil)
            } catch {
                completion(
                    nil,
                    ASWebAuthenticationSessionError(
                        code: .init(rawValue: (error as? FakeBrowserError)?.code ?? 1)
                            ?? .canceledLogin))
            }
        }
        return true
    }

    open func cancel() { visit?.cancel() }
}
