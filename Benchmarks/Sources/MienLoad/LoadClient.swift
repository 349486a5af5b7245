internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// An HTTP client of one server on this machine.
///
///     try await LoadClient.with(port: 8080) { client in
///         let answer = try await client.post(
///             "/v1/journeys/face-login/start", json: #"{"client_id": "default_application"}"#)
///     }
public struct LoadClient: Sendable {
    private static let timeoutSeconds: Int64 = 60, maxBodyBytes = 1 << 20
    private let http: HTTPClient
    private let address: String

    /// Runs `body` with a client, and closes the client's connections afterwards.
    ///
    /// - Parameter connections: the maximum number of connections.
    public static func with<Output: Sendable>(
        port: Int, connections: Int = 1,
        _ body: (LoadClient) async throws -> Output
    ) async throws -> Output {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        // A refused connection is a failure of the measurement.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = LoadClient(
            http: HTTPClient(
                eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration),
            address: "http://127.0.0.1:\(port)")
        do {
            let output = try await body(client)
            try await client.http.shutdown()
            return output
        } catch {
            try? await client.http.shutdown()
            throw error
        }
    }

    public func post(_ path: String, json: String, bearer: String? = nil) async throws(LoadError)
        -> LoadAnswer
    {
        try await request(
            "POST", path, type: "application/json", body: Array(json.utf8), bearer: bearer)
    }

    /// - Throws: ``LoadError`` when the server is silent for too long, or closes the connection.
    public func request(
        _ method: String, _ path: String, type: String? = nil, body: [UInt8] = [],
        bearer: String? = nil
    ) async throws(LoadError) -> LoadAnswer {
        var request = HTTPClientRequest(url: address + path)
        request.method = HTTPMethod(rawValue: method)
        if let type { request.headers.add(name: "content-type", value: type) }
        if let bearer { request.headers.add(name: "authorization", value: "Bearer \(bearer)") }
        if !body.isEmpty || method != "GET" { request.body = .bytes(body) }
        do {
            let response = try await http.execute(request, timeout: .seconds(Self.timeoutSeconds))
            let received = try await response.body.collect(upTo: Self.maxBodyBytes)
            return LoadAnswer(
                status: Int(response.status.code), body: Array(received.readableBytesView))
        } catch {
            throw LoadError("\(method) \(path) failed: \(error)")
        }
    }
}
