/// Carries requests to a server. The default is ``AsyncHTTPTransport``; apps and tests may provide
/// their own.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns the whole response, whatever its status. Follows no
    /// redirects and repeats nothing.
    ///
    /// - Throws: ``HTTPTransportError``; `CancellationError` if the task was canceled.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}

public struct HTTPTransportRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE"
    }

    public var method: Method
    /// The absolute URL.
    public var url: String
    /// The header fields, with names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]
    /// The time limit, from the start of the request to the end of the response.
    public var timeout: Duration
    /// The maximum size of the response's body; a transport stops reading there.
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

/// The headers contain credentials and the body may contain a password, so neither is printed.
extension HTTPTransportRequest: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "\(method.rawValue) \(url), \(body.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

public struct HTTPTransportResponse: Sendable {
    public var status: Int
    /// The header fields, with names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// The body may contain tokens, so it is not printed.
extension HTTPTransportResponse: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "status \(status), \(body.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why there is no response.
public struct HTTPTransportError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The connection failed, the host was not found, or its certificate is not trusted.
        case unreachable
        case timedOut = "timed_out"
        /// The connection ended before the response did. The request may have arrived.
        case interrupted
        case answerTooLarge = "answer_too_large"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { "\(code.rawValue): \(reason)" }
}
