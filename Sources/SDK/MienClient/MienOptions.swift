public import Logging
public import MienCore

/// The server, the app, and how to communicate.
public struct MienOptions: Sendable {
    /// The server's address: `https://login.example.org`. `http` is accepted only for this machine
    /// unless ``allowsPlainHTTP`` is set.
    public var serverPath: String
    public var applicationId: String
    /// The secret of a confidential app. Do not ship one in apps on users' devices, where it can be
    /// read.
    public var clientSecret: Sensitive<String>?
    /// The value of the parameter `resource` that journeys receive.
    public var resource: String?
    /// The minimum level of log messages. No level logs personal data or secrets.
    public var logLevel: Logger.Level
    /// The time between polls in steps that wait for another device. No step of this server does so
    /// yet.
    public var pollingTimeout: Duration
    /// The time limit of one attempt, from request to response.
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
        deviceTokens: any DeviceTokenStorage = StandardStorage.deviceTokens,
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
