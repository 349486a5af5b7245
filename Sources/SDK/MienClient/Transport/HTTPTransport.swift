/// Carries requests to a server. The default is ``AsyncHTTPTransport``; an app may bring its own,
/// and tests do.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns the whole answer, whatever its status. Follows no redirects
    /// and sends nothing twice.
    ///
    /// - Throws: ``HTTPTransportError``; `CancellationError` when the task was cancelled.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}

public struct HTTPTransportRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE"
    }

    public var method: Method
    /// Absolute.
    public var url: String
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]
    /// From the start of the request to the end of the answer.
    public var timeout: Duration
    /// The answer's body must not be larger; a transport stops reading there.
    public var maxAnswerBytes: Int

    public init(
        method: Method, url: String, headers: [String: String] = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(30),
        maxAnswerBytes: Int = 1 << 20
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        (self.timeout, self.maxAnswerBytes) = (timeout, maxAnswerBytes)
    }
}

/// Its headers hold credentials and its body may hold a password: neither is printed.
extension HTTPTransportRequest: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "\(method.rawValue) \(url), \(body.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

public struct HTTPTransportResponse: Sendable {
    public var status: Int
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Tokens are in the body: it is not printed.
extension HTTPTransportResponse: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "status \(status), \(body.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why there is no answer.
public struct HTTPTransportError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No connection, no such host, no trust in its certificate.
        case unreachable
        case timedOut = "timed_out"
        /// The connection ended before the answer did: the request may or may not have arrived.
        case interrupted
        case answerTooLarge = "answer_too_large"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { "\(code.rawValue): \(reason)" }
}
