internal import MienCore
public import MienKeys

/// Receives the result of a device key's registration or use, in the form of Android's callbacks.
@MainActor
public protocol MienBiometricsHandler<Value> {
    associatedtype Value: Sendable
    func success(_ result: Value)
    func error(_ error: DeviceError)
}

/// Device keys in the form that mobile apps use, for the steps of ``Mien``'s journey.
///
///     try MienAuthentication.initialize(device)
///     let result = try await MienAuthentication.registerNativeBiometrics(username: userId)
///     try Mien.submitClientResponse(clientResponseOptionId: .clientInput, data: result.data)
///
/// ``NativeBiometrics`` offers the same without shared state.
@MainActor
public enum MienAuthentication {
    private static var biometrics: NativeBiometrics?

    /// Sets the device.
    ///
    /// - Parameter application: The app's id on the server; that of ``Mien/initialize(_:)`` by
    ///   default.
    /// - Throws: ``MienError`` `.notInitialized` if neither names an app.
    public static func initialize(
        _ device: BiometricDevice, application: String? = nil
    ) throws(MienError) {
        guard let application = application ?? Mien.journeyClient?.options.applicationId else {
            throw MienError(.notInitialized, "Call Mien.initialize first, or pass the application.")
        }
        biometrics = NativeBiometrics(device, application: application)
    }

    /// Creates a key for the user. If the current step of ``Mien``'s journey asks for this user's
    /// key, the key is registered under all names that the step contains and attested for its
    /// challenge.
    ///
    /// - Throws: ``MienError`` `.notInitialized`; `DeviceError` with the obstacle.
    public static func registerNativeBiometrics(
        username: String, constraint: BiometricAccessConstraint = .biometryCurrentSet,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> NativeBiometrics.Registration {
        let step = Mien.current.flatMap { response in
            response.step == .registerNativeBiometrics
                && response.data?["user_identifier"]?.stringValue == username ? response : nil
        }
        return try await ready().registerNativeBiometrics(
            username: username, alsoKnownAs: NativeBiometrics.names(in: step?.data),
            challenge: step?.data?["challenge"]?.stringValue, constraint: constraint,
            policy: policy)
    }

    /// Signs a step's challenge with the user's key.
    ///
    /// - Throws: ``MienError`` `.notInitialized`; as
    ///   ``NativeBiometrics/authenticateNativeBiometrics(username:challenge:localizedReason:policy:texts:)``.
    public static func authenticateNativeBiometrics(
        username: String, challenge: String, localizedReason: String = "Sign in",
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> NativeBiometrics.Proof {
        try await ready().authenticateNativeBiometrics(
            username: username, challenge: challenge, localizedReason: localizedReason,
            policy: policy)
    }

    // MARK: Calls with a handler

    public static func registerNativeBiometrics(
        username: String, _ handler: any MienBiometricsHandler<NativeBiometrics.Registration>
    ) {
        tell(handler) { try await registerNativeBiometrics(username: username) }
    }

    /// Calls `handler` with the result, as the guide's Swift code expects.
    public static func registerNativeBiometrics(
        username: String,
        _ handler: @escaping @MainActor (Result<NativeBiometrics.Registration, DeviceError>) -> Void
    ) {
        tell(handler) { try await registerNativeBiometrics(username: username) }
    }

    public static func authenticateNativeBiometrics(
        username: String, challenge: String,
        _ handler: any MienBiometricsHandler<NativeBiometrics.Proof>
    ) {
        tell(handler) {
            try await authenticateNativeBiometrics(username: username, challenge: challenge)
        }
    }

    /// Calls `handler` with the result.
    public static func authenticateNativeBiometrics(
        username: String, challenge: String,
        _ handler: @escaping @MainActor (Result<NativeBiometrics.Proof, DeviceError>) -> Void
    ) {
        tell(handler) {
            try await authenticateNativeBiometrics(username: username, challenge: challenge)
        }
    }

    // MARK: Helpers

    private static func ready() throws(MienError) -> NativeBiometrics {
        guard let biometrics else {
            throw MienError(.notInitialized, "Call MienAuthentication.initialize first.")
        }
        return biometrics
    }

    private static func tell<Value: Sendable>(
        _ handler: any MienBiometricsHandler<Value>,
        _ call: @escaping @MainActor () async throws -> Value
    ) {
        tell(
            { (result: Result<Value, DeviceError>) in
                switch result {
                case .success(let value): handler.success(value)
                case .failure(let error): handler.error(error)
                }
            }, call)
    }

    /// Runs a call in a task, since apps use these forms where they cannot await.
    private static func tell<Value: Sendable>(
        _ handler: @escaping @MainActor (Result<Value, DeviceError>) -> Void,
        _ call: @escaping @MainActor () async throws -> Value
    ) {
        Task {
            do { handler(.success(try await call())) } catch let error as DeviceError {
                handler(.failure(error))
            } catch let error as MienError {
                handler(.failure(DeviceError(.badArgument, error.reason)))
            } catch is CancellationError {
                handler(.failure(DeviceError(.cancel, "The call was canceled.")))
            } catch {
                handler(.failure(DeviceError(.hardware, "The device failed.")))
            }
        }
    }
}
