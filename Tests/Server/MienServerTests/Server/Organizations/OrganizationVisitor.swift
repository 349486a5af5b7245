import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

/// A user whose browser signed in on the server's pages, and who uses `/organization`.
struct OrganizationVisitor: Sendable {
    static let api = "/organization/api/v1"

    let server: TestServer
    let browser: PageBrowser

    /// Signs a user in.
    init(_ name: String, _ server: TestServer) async throws {
        (self.server, browser) = (server, PageBrowser(server.address))
        _ = try await browser.signIn("/signin", name: name)
    }

    /// Somebody who is not signed in.
    init(strangerTo server: TestServer) {
        (self.server, browser) = (server, PageBrowser(server.address))
    }

    /// Sends a request as a page of the server does.
    func send(
        _ method: HTTPTransportRequest.Method, _ path: String, _ body: JSONValue? = nil,
        headers: [String: String] = ["mien-portal": "1", "sec-fetch-site": "same-origin"]
    ) async throws -> (status: Int, body: JSONValue) {
        var headers = headers
        headers["content-type"] = "application/json"
        let cookies = await browser.cookies
        if !cookies.isEmpty {
            headers["cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
                .joined(separator: "; ")
        }
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: server.address + Self.api + path, headers: headers,
                body: body.map { Array(JSONText.write($0).utf8) } ?? []))
        return (
            answer.status, answer.body.isEmpty ? .null : try JSONText.parse(answer.body)
        )
    }

    func status(
        _ method: HTTPTransportRequest.Method, _ path: String, _ body: JSONValue? = nil
    ) async throws -> Int { try await send(method, path, body).status }

    /// The names of the organizations that the user belongs to.
    func organizations() async throws -> [String] {
        let me = try await send(.get, "/me").body
        return (me["organizations"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
    }

    /// The IDs of the user's open invitations.
    func invitations() async throws -> [String] {
        let me = try await send(.get, "/me").body
        return (me["invitations"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }
}

extension TestServer {
    /// Creates an organization with members: names and their roles.
    func makeOrganization(_ name: String, _ members: [String: [String]] = [:]) async throws
        -> OrganizationID
    {
        let made = try await admin.createOrganization(OrganizationRequest(name: name))
        let id = try #require(OrganizationID(made.id))
        for (user, roles) in members.sorted(by: { $0.key < $1.key }) {
            _ = try await admin.addMember(user, to: id, roles: roles)
        }
        return id
    }
}
