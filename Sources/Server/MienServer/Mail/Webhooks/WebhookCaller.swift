internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
package import MienCore
package import MienJourney
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Performs the calls of `call_webhook` steps: only to listed hosts, signed, without redirects, and
/// not into private networks. See docs/webhooks.md.
///
/// Resolves the host once, checks each address, and connects to one of those that passed, so that a
/// later DNS change cannot bypass the check.
package struct WebhookCaller: Sendable {
    static let maxAnswer = 64 * 1024
    /// The pauses before the second and the third attempt.
    static let pauses = [Duration.milliseconds(250), .seconds(1)]

    let hosts: [String]
    let mayBePrivate: Bool
    let secret: Sensitive<String>
    /// The secret that receivers still know while they change to ``secret``; `nil` for none.
    let formerSecret: Sensitive<String>?
    var clock: ServerClock
    let tls: TLSConfiguration
    var lookUp: @Sendable (_ host: String, _ port: Int) async throws -> [String] = {
        try await HostAddresses.resolve($0, port: $1)
    }

    /// Calls one host with a secret of its own.
    ///
    /// - Parameter url: Names the only host that may be called.
    /// - Throws: ``ConfigurationError`` if the authorities cannot be read, or the URL may not be
    ///   called.
    package init(
        only url: String, setting: String, mayBePrivate: Bool, secret: Sensitive<String>,
        formerSecret: Sensitive<String>? = nil, authorities: String?, clock: ServerClock
    ) throws {
        guard let target = WebhookTarget(url), target.isEncrypted || mayBePrivate else {
            throw ConfigurationError([
                "\(setting).url must be an https URL without a user name; http is allowed only with \(setting).allow_private"
            ])
        }
        hosts = [target.host]
        (self.mayBePrivate, self.secret, self.clock) = (mayBePrivate, secret, clock)
        self.formerSecret = formerSecret
        tls = try Self.tls(trusting: authorities, setting: "\(setting).ca")
    }

    /// - Throws: ``ConfigurationError`` if the authorities cannot be read.
    package init(_ configuration: ServerConfiguration, clock: ServerClock) throws {
        hosts = configuration.webhookHosts.map(WebhookTarget.bare)
        mayBePrivate = configuration.webhooksMayBePrivate
        (secret, self.clock) = (configuration.webhookSecret, clock)
        formerSecret = configuration.webhookFormerSecret
        tls = try Self.tls(trusting: configuration.webhookAuthorities, setting: "webhook.ca")
    }

    private static func tls(trusting authorities: String?, setting: String) throws
        -> TLSConfiguration
    {
        var tls = try TLSConfiguration.client(trusting: authorities, setting: setting)
        // Close the connection without waiting for the receiver's TLS close. Waiting would take up
        // to 5 s beyond the call's limit, and would go on reading an endless answer.
        tls.shutdownTimeout = .zero
        return tls
    }

    /// - Parameters:
    ///   - turn: Distinguishes this call from other calls of the same run.
    ///   - isTrial: Whether an administrator tries the journey. The request says so.
    package func call(
        _ call: WebhookCall, run: InstanceID, turn: Int, app: AppID, isTrial: Bool = false
    ) async -> EffectAnswer {
        guard let target = target(of: call.url) else { return .refused(.notAllowed) }
        let body = call.body.use { JSONText.write(.object($0)) }
        let delivery = Delivery(
            id: Self.id(run, turn, body), app: app, body: body, isTrial: isTrial)
        do {
            return try await Self.within(.seconds(call.timeoutSeconds)) {
                guard let address = try await address(of: target) else {
                    return .refused(.notAllowed)
                }
                return try await deliver(delivery, to: target, at: address)
            }
        } catch {
            return .refused(.webhookFailed)
        }
    }

    /// Whether the settings allow calls to a URL.
    package func mayCall(_ url: String) -> Bool { target(of: url) != nil }

    /// Returns the target of a URL; `nil` if it may not be called.
    func target(of url: String) -> WebhookTarget? {
        guard let target = WebhookTarget(url), target.isEncrypted || mayBePrivate,
            hosts.contains(target.host)
        else { return nil }
        return target
    }

    /// Returns the address to connect to, of those that may be called the first that accepts a
    /// connection; `nil` if none may be called.
    func address(of target: WebhookTarget) async throws -> String? {
        let found = try await lookUp(target.host, target.port)
        let allowed = mayBePrivate ? found : found.filter(PublicAddress.contains)
        return await HostAddresses.reachable(allowed, port: target.port) ?? allowed.first
    }

    struct Delivery: Sendable {
        let id: String
        /// `nil` for calls that do not concern an app.
        let app: AppID?
        let body: String
        /// Whether an administrator tries a journey.
        var isTrial = false
    }

    /// Returns an ID that stays the same if the same call is repeated, even after a crash. A call
    /// with another body is a different call.
    private static func id(_ run: InstanceID, _ turn: Int, _ body: String) -> String {
        "dlv_"
            + Base64URL.encode(
                SHA256.hash(data: Data("\(run.text) \(turn) \(body)".utf8)).prefix(16))
    }

    private func deliver(_ delivery: Delivery, to target: WebhookTarget, at address: String)
        async throws -> EffectAnswer
    {
        try await withClient(of: target, at: address) { client in
            try await tries(delivery, to: target, with: client)
        }
    }

    /// Runs `body` with a client that connects to no other address and follows no redirect.
    func withClient<Output: Sendable>(
        of target: WebhookTarget, at address: String,
        _ body: (HTTPClient) async throws -> Output
    ) async throws -> Output {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.dnsOverride = [target.host: address]
        // Set no read timeout: one that expires just before the overall limit would start another
        // attempt too late.
        configuration.timeout = .init(connect: .seconds(5))
        // We control the retries ourselves.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // A connection that is still being made keeps the client from ending. The call does not wait.
        defer { Task { try? await client.shutdown() } }
        return try await body(client)
    }

    private func tries(_ delivery: Delivery, to target: WebhookTarget, with client: HTTPClient)
        async throws -> EffectAnswer
    {
        for pause in Self.pauses {
            do {
                let answer = try await request(delivery, to: target, with: client)
                guard case .webhookAnswered(let status, _) = answer, Self.isPassing(status) else {
                    return answer
                }
            } catch let error as NIOTooManyBytesError {
                throw error
            } catch  where !Task.isCancelled {}
            try await Task.sleep(for: pause)
        }
        return try await request(delivery, to: target, with: client)
    }

    /// Whether the status is temporary.
    private static func isPassing(_ status: Int) -> Bool {
        status == 429 || (502...504).contains(status)
    }

    /// A signed request.
    func request(_ delivery: Delivery, to target: WebhookTarget) -> HTTPClientRequest {
        let seconds = clock.now.seconds
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "user-agent", value: "mien")
        if let app = delivery.app { request.headers.add(name: "mien-app", value: app.text) }
        request.headers.add(name: "mien-delivery", value: delivery.id)
        if delivery.isTrial { request.headers.add(name: "mien-trial", value: "1") }
        request.headers.add(
            name: "mien-signature",
            value: (["t=\(seconds)"] + signatures(seconds, delivery.body).map { "v1=\($0)" })
                .joined(separator: ","))
        request.body = .bytes(ByteBuffer(string: delivery.body))
        return request
    }

    private func request(_ delivery: Delivery, to target: WebhookTarget, with client: HTTPClient)
        async throws -> EffectAnswer
    {
        let response = try await client.execute(
            request(delivery, to: target), timeout: .hours(1))
        let answer = try await response.body.collect(upTo: Self.maxAnswer)
        let bytes = Array(answer.readableBytesView)
        let value =
            bytes.isEmpty
            ? .null
            : (try? JSONText.parse(bytes, limits: .init(maxBytes: Self.maxAnswer, maxDepth: 16)))
                ?? .null
        return .webhookAnswered(status: Int(response.status.code), body: value)
    }

    /// The former secret's comes last, where receivers find it that expect only one.
    func signatures(_ seconds: Int64, _ body: String) -> [String] {
        [secret, formerSecret].compactMap { $0 }.map { secret in
            let code = secret.use {
                HMAC<SHA256>.authenticationCode(
                    for: Data("\(seconds).\(body)".utf8),
                    using: SymmetricKey(data: Data($0.utf8)))
            }
            return code.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
                .joined()
        }
    }

    /// Limits the whole call, including the last byte of the answer. An HTTP client's own timeouts
    /// end with the response head or restart with each byte.
    static func within<Output: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        try await withThrowingTaskGroup(of: Output.self) { tasks in
            tasks.addTask(operation: body)
            tasks.addTask {
                try await Task.sleep(for: limit)
                throw CancellationError()
            }
            defer { tasks.cancelAll() }
            guard let first = try await tasks.next() else { throw CancellationError() }
            return first
        }
    }
}
