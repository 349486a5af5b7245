public import Logging
public import MienCore

/// Which server, which app, and how to talk to it.
public struct MienOptions: Sendable {
    /// `https://login.example.org`. `http` is taken for this machine only, unless
    /// ``allowsPlainHTTP`` is set.
    public var serverPath: String
    public var applicationId: String
    /// A confidential app's. Not for apps on people's devices: what is in them is no secret.
    public var clientSecret: Sensitive<String>?
    /// Passed to journeys as the parameter `resource`.
    public var resource: String?
    /// Nothing personal and no secret is logged at any level.
    public var logLevel: Logger.Level
    /// Between questions of steps that wait for another device. No step of this server does yet.
    public var pollingTimeout: Duration
    /// For one attempt, from request to answer.
    public var requestTimeout: Duration
    public var retry: RetryPolicy
    public var deviceTokens: any DeviceTokenStorage
    public var transport: any HTTPTransport
    public var allowsPlainHTTP: Bool
    /// Whether a session binds the tokens of new sign-ins to a key (DPoP, RFC 9449) when the server
    /// supports it. A stolen token is useless without the key.
    public var usesDPoP: Bool

    public init(
        serverPath: String, applicationId: String = "default_application",
        clientSecret: Sensitive<String>? = nil, resource: String? = nil,
        logLevel: Logger.Level = .warning, pollingTimeout: Duration = .seconds(3),
        requestTimeout: Duration = .seconds(30),
        retry: RetryPolicy = RetryPolicy(),
        deviceTokens: any DeviceTokenStorage = MemoryDeviceTokens(),
        transport: any HTTPTransport = AsyncHTTPTransport(), allowsPlainHTTP: Bool = false,
        usesDPoP: Bool = true
    ) {
        (self.serverPath, self.applicationId, self.clientSecret, self.resource) = (
            serverPath, applicationId, clientSecret, resource
        )
        (self.logLevel, self.pollingTimeout, self.requestTimeout, self.retry) = (
            logLevel, pollingTimeout, requestTimeout, retry
        )
        (self.deviceTokens, self.transport, self.allowsPlainHTTP, self.usesDPoP) = (
            deviceTokens, transport, allowsPlainHTTP, usesDPoP
        )
    }

    func connection(sleep: @escaping @Sendable (Duration) async throws -> Void) throws(MienError)
        -> Connection
    {
        var logger = Logger(label: "mien.client")
        logger.logLevel = logLevel
        return Connection(
            address: try ServerAddress(serverPath, allowsPlainHTTP: allowsPlainHTTP),
            transport: transport, retry: retry, timeout: requestTimeout,
            logger: logger, sleep: sleep)
    }
}
