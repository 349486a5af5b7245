package import HTTPTypes
internal import Hummingbird
internal import MienCore
internal import MienStore
internal import NIOCore

/// The servers among which live captures are divided. Each capture stays with the server that began
/// it; a request about it that arrives elsewhere is passed on.
package protocol CapturePeers: Sendable {
    /// The name of this server.
    var name: String { get }

    /// Whether another server lives, as far as can be known.
    func isAlive(_ server: String) async throws -> Bool

    /// Passes a request on.
    ///
    /// - Throws: ``ServerBusy`` if the server does not answer, or cannot be reached from here.
    func pass(_ request: PassedRequest, to server: String) async throws -> PassedAnswer
}

/// A request about a live capture, on its way to the server that has it.
package struct PassedRequest: Sendable {
    package let method: HTTPRequest.Method
    package let path: String
    package let headers: HTTPFields
    package let body: [UInt8]
    /// The client that sent it.
    package let client: String
}

package struct PassedAnswer: Sendable {
    package let status: HTTPResponse.Status
    package let headers: HTTPFields
    package let body: [UInt8]
}

extension CaptureService {
    /// The other server that has the live session of a capture, if one does and lives.
    func owner(of id: CaptureID) async throws -> String? {
        guard peers != nil, live.find(id) == nil,
            let record = try await store.read({ try $0.captures.find(id) }), record.state == .open
        else { return nil }
        return try await records.owner(of: Self.opened(record))
    }

    /// Passes a request about a capture to the server that has its live session.
    ///
    /// - Returns: `nil` if this server handles it.
    func passOn(
        _ request: Request, about token: String, _ body: [UInt8], client: String
    ) async throws -> Response? {
        guard let peers, let owner = try await owner(of: session(token).id) else { return nil }
        let answer = try await peers.pass(
            PassedRequest(
                method: request.method, path: request.uri.path, headers: request.headers,
                body: body, client: client), to: owner)
        return Response(
            status: answer.status, headers: answer.headers,
            body: .init(byteBuffer: .init(bytes: answer.body)))
    }
}
