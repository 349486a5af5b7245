// The parts of Apple's AuthenticationServices that the portal's code for phones uses, declared for
// type checking where they are not available. This code never runs. Source: Apple's documentation of
// ASWebAuthenticationSession (iOS 17, macOS 14).
@_exported import Foundation

@MainActor public class ASPresentationAnchor {
    public init() {}
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public init(
        url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler
    ) {}
    public weak var presentationContextProvider:
        (any ASWebAuthenticationPresentationContextProviding)?
    @discardableResult open func start() -> Bool { fatalError() }
}
