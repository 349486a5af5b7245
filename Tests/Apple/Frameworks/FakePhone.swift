// The phone that the fakes of Apple's frameworks are parts of: whose face is enrolled, what the person
// does at the next prompt, what the camera sees, and where a browser goes. Tests set it.
import Foundation

/// The answer of a person whom the phone asks for their face, finger, or passcode.
public enum FakeAnswer: Sendable {
    case recognized, passcode
    /// A code of `LAError`.
    case error(Int)
}

public struct FakeBrowserError: Error {
    /// A code of `ASWebAuthenticationSessionError`.
    public let code: Int
    public init(_ code: Int) { self.code = code }
}

/// A picture that the camera delivers, in several sizes of the same.
public struct FakePicture: Sendable {
    public let width, height: Int
    /// JPEGs by their longer side.
    public let sizes: [Int: Data]
    /// The color of each pixel, for an app that asks for pixels.
    public let color: @Sendable (_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8)

    public init(
        width: Int, height: Int, sizes: [Int: Data],
        color:
            @escaping @Sendable (_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) = {
                _, _ in (0, 0, 0)
            }
    ) {
        (self.width, self.height, self.sizes, self.color) = (width, height, sizes, color)
    }

    /// The largest one within `side`, else the smallest.
    public func jpeg(side: Double) -> Data {
        let fitting = sizes.keys.filter { Double($0) <= side + 0.5 }.max() ?? sizes.keys.min()
        return fitting.flatMap { sizes[$0] } ?? Data()
    }
}

public struct FakePhoneState: Sendable {
    /// 0: none, 1: Touch ID, 2: Face ID.
    public var biometry = 2
    public var isPasscodeSet = true
    /// Which faces are enrolled; 0: none. Each enrollment has another number.
    public var enrollment = 1
    public var isLockedOut = false
    /// Whether the person has refused Face ID to the app.
    public var isDenied = false
    /// The person's answers to the next prompts, in order; afterward, `.recognized`.
    public var answers: [FakeAnswer] = []
    /// How long a person takes.
    public var answerTime = Duration.milliseconds(5)
    /// Prompts that were shown: the policy, the reason, and the titles of the buttons.
    public var prompts: [(policy: Int, reason: String, fallback: String?, cancel: String?)] = []
    /// Whether another enrollment removes keys that depend on it from the keychain. Otherwise they are
    /// still found, but the enclave refuses to sign with them.
    public var forgetsKeys = false
    public var supportsAppAttest = false
    public var hasEnclave = true
    /// Which enclave the phone has. Another one opens no reference of this one.
    public var enclave = 1
    /// A code of `TKError` with which the enclave refuses each reference.
    public var enclaveError: Int?
    /// The object with which Apple attests a key, for a hash of client data.
    public var attest: @Sendable (_ keyID: String, _ hash: Data) throws -> Data = { _, _ in Data() }
    /// Goes to the URL, and returns the one at which the scheme of the app was reached.
    public var browser: @Sendable (_ url: URL, _ scheme: String) async throws -> URL = { _, _ in
        throw FakeBrowserError(1)
    }
    /// 0: not asked yet, 1: restricted, 2: denied, 3: allowed.
    public var camera = 3
    /// Whether the person allows the camera when asked.
    public var allowsCamera = true
    public var hasCamera = true
    /// The next picture toward the person, or away from them; `nil` if none is due.
    public var picture: @Sendable (_ isFront: Bool) -> FakePicture? = { _ in nil }
    public var framesPerSecond = 15.0
    /// Whether the person asked for less motion.
    public var reducesMotion = false
    public var isCameraRunning = false
    public var announcements: [String] = []
    public var haptics: [String] = []
    public var opened: [URL] = []

    public init() {}
}

public final class FakePhone: @unchecked Sendable {
    // Unchecked: the lock protects the state.
    public static let shared = FakePhone()
    private let lock = NSRecursiveLock()
    private var state = FakePhoneState()
    /// Called when another enrollment begins.
    private var observers: [() -> Void] = []

    public func with<Value>(_ body: (inout FakePhoneState) throws -> Value) rethrows -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }

    public func reset() {
        with { $0 = FakePhoneState() }
        for observer in observers { observer() }
    }

    /// Another face is enrolled instead.
    public func enrollAnotherFace() { with { $0.enrollment = max(1, $0.enrollment + 1) } }

    /// Takes the person's next answer.
    public func nextAnswer() -> FakeAnswer {
        with { $0.answers.isEmpty ? .recognized : $0.answers.removeFirst() }
    }

    /// Called at the beginning of each test.
    public func onReset(_ body: @escaping () -> Void) { observers.append(body) }
}
