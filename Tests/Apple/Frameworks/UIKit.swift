// The parts of Apple's UIKit that the SDK and the sample app use. Windows hold controllers, and
// announcements and haptics are noted in `FakePhone`. Source: developer.apple.com/documentation/uikit,
// the pages uiview, uiviewcontroller, uiviewcontroller/present(_:animated:completion:),
// uiapplication, uiapplication/connectedscenes, uiwindowscene, uiwindow, uiaccessibility,
// uiaccessibility/post(notification:argument:), uinotificationfeedbackgenerator,
// uiimpactfeedbackgenerator, and uidevice.
@_exported import FakePhone
@_exported import Foundation
@_exported import QuartzCore

@MainActor open class UIView: NSObject {
    open class var layerClass: AnyClass { CALayer.self }
    open private(set) lazy var layer: CALayer = (Self.layerClass as! CALayer.Type).init()
    open private(set) var subviews: [UIView] = []
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleWidth = Self(rawValue: 2), flexibleHeight = Self(rawValue: 16)
    }
    open var frame = CGRect.zero
    open var bounds = CGRect.zero
    open var autoresizingMask: AutoresizingMask = []
    public override init() {}
    open func addSubview(_ view: UIView) { subviews.append(view) }
}

@MainActor open class UIViewController: NSObject {
    public enum ModalPresentationStyle: Int { case fullScreen = 0, automatic = -2 }
    open var view: UIView! = UIView()
    open private(set) var presentedViewController: UIViewController?
    open private(set) weak var presentingViewController: UIViewController?
    open private(set) var children: [UIViewController] = []
    open var modalPresentationStyle = ModalPresentationStyle.automatic
    open var isModalInPresentation = false

    public init(nibName: String?, bundle: Bundle?) {}
    public convenience override init() { self.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }

    open func viewDidLoad() {}
    open func viewDidDisappear(_ animated: Bool) {
        for child in children { child.viewDidDisappear(animated) }
    }
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.presentingViewController = self
        viewControllerToPresent.viewDidLoad()
        completion?()
    }
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        if let presented = presentedViewController {
            presentedViewController = nil
            presented.viewDidDisappear(flag)
            completion?()
        } else if let presenting = presentingViewController {
            presenting.dismiss(animated: flag, completion: completion)
        } else {
            completion?()
        }
    }
    open func addChild(_ child: UIViewController) { children.append(child) }
    open func didMove(toParent parent: UIViewController?) {}
}

@MainActor open class UIWindow: UIView {
    open var rootViewController: UIViewController?
    open var isKeyWindow: Bool { true }
}

@MainActor open class UIScene: NSObject {
    public enum ActivationState: Int { case unattached = -1, foregroundActive = 0 }
    open var activationState = ActivationState.foregroundActive
}
@MainActor open class UIWindowScene: UIScene {
    open var windows: [UIWindow] = []
    open var keyWindow: UIWindow? { windows.first }
}

@MainActor open class UIApplication: NSObject {
    public static let shared = UIApplication()
    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
    public static let openSettingsURLString = "app-settings:"
    open private(set) var connectedScenes: Set<UIScene> = {
        let scene = UIWindowScene(), window = UIWindow()
        window.rootViewController = UIViewController(nibName: nil, bundle: nil)
        scene.windows = [window]
        return [scene]
    }()
    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: ((Bool) -> Void)? = nil
    ) { FakePhone.shared.with { $0.opened.append(url) } }
}

@MainActor public enum UIAccessibility {
    public struct Notification: Sendable {
        public static let announcement = Self()
        public static let screenChanged = Self()
    }
    public static func post(notification: Notification, argument: Any?) {
        if let text = argument as? String {
            FakePhone.shared.with { $0.announcements.append(text) }
        }
    }
    public static var isReduceMotionEnabled: Bool { FakePhone.shared.with { $0.reducesMotion } }
}

@MainActor open class UINotificationFeedbackGenerator: NSObject {
    public enum FeedbackType: Int { case success, warning, error }
    public override init() {}
    open func notificationOccurred(_ notificationType: FeedbackType) {
        FakePhone.shared.with { $0.haptics.append("\(notificationType)") }
    }
}

@MainActor open class UIImpactFeedbackGenerator: NSObject {
    public override init() {}
    open func impactOccurred() { FakePhone.shared.with { $0.haptics.append("impact") } }
}

@MainActor open class UIDevice: NSObject {
    public static let current = UIDevice()
    open var model: String { "iPhone" }
    open var identifierForVendor: UUID? { UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") }
}
