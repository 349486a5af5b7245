package import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import SystemPackage

/// A transport over AsyncHTTPClient. It verifies certificates, does not follow redirects, and
/// limits bodies while reading them.
///
/// All instances made with ``init()`` share one connection pool, which lives as long as the process.
public struct AsyncHTTPTransport: HTTPTransport {
    private static let shared = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: configuration)

    /// How requests are sent: no redirects, no compression, and no attempts that the sender does
    /// not know of.
    package static let configuration: HTTPClient.Configuration = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, decompression: .disabled)
        configuration.timeout = .init(connect: .seconds(10))
        // The sender decides what is tried again.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }()

    private let client: HTTPClient

    public init() { client = Self.shared }

    /// - Parameter client: A client with ``configuration``, changed as needed. The caller keeps it
    ///   as long as the process lives.
    package init(client: HTTPClient) { self.client = client }

    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .init(rawValue: request.method.rawValue)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        do {
            return try await Self.within(request.timeout) { [outgoing] in
                try await exchange(outgoing, request)
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw error as? HTTPTransportError ?? Self.fault(error, request)
        }
    }

    private func exchange(_ outgoing: HTTPClientRequest, _ request: HTTPTransportRequest)
        async throws -> HTTPTransportResponse
    {
        let incoming = try await client.execute(outgoing, timeout: TimeAmount(request.timeout))
        let body = try await incoming.body.collect(upTo: request.maxAnswerBytes)
        let headers = Dictionary(incoming.headers.map { ($0.name.lowercased(), $0.value) }) {
            $0 + ", " + $1
        }
        return HTTPTransportResponse(
            status: Int(incoming.status.code), headers: headers, body: Array(body.readableBytesView)
        )
    }

    /// The client's own deadline ends with the head; a body that trickles in could take forever.
    private static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPTransportError(.timedOut, "The server did not respond in time.")
            }
            defer { group.cancelAll() }
            return try await group.next()!
        }
    }

    /// `Connection refused` instead of the structure of a system error.
    private static func cause(_ error: any Error) -> String {
        (error as? IOError).map { Errno(rawValue: $0.errnoCode).description } ?? "\(error)"
    }

    private static func fault(_ error: any Error, _ request: HTTPTransportRequest)
        -> HTTPTransportError
    {
        if error is NIOTooManyBytesError {
            return HTTPTransportError(
                .answerTooLarge, "The response is larger than \(request.maxAnswerBytes) bytes.")
        }
        return switch error as? HTTPClientError {
        case .deadlineExceeded, .connectTimeout, .readTimeout:
            HTTPTransportError(.timedOut, "The server did not respond in time.")
        case .remoteConnectionClosed: HTTPTransportError(.interrupted, "The connection was closed.")
        default:
            HTTPTransportError(.unreachable, "The server cannot be reached: \(Self.cause(error)).")
        }
    }
}
