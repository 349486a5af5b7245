import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

/// A directory with its token.
struct SCIMDirectory: Sendable {
    let server: TestServer
    let organization: OrganizationID
    let token: String

    init(_ server: TestServer, _ name: String, domains: [String] = []) async throws {
        self.server = server
        let made = try await server.admin.createOrganization(OrganizationRequest(name: name))
        organization = try #require(OrganizationID(made.id))
        token = try #require(
            try await server.admin.createSCIMToken(
                named: "test", domains: domains, for: organization
            ).token)
    }

    func send(
        _ method: HTTPTransportRequest.Method, _ path: String, _ body: JSONValue? = nil
    ) async throws -> (status: Int, body: JSONValue) {
        try await server.send(
            method, "/scim/v2/\(path)",
            headers: [
                "content-type": "application/scim+json", "authorization": "Bearer \(token)",
            ], body.map { JSONText.write($0) } ?? "")
    }

    func create(_ name: String, _ more: [String: JSONValue] = [:]) async throws -> String {
        let answer = try await send(
            .post, "Users",
            .object(
                [
                    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
                    "userName": .string(name),
                ].merging(more) { $1 }))
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(answer.body["id"]?.stringValue)
    }

    func patch(_ path: String, _ operations: JSONValue) async throws -> (
        status: Int, body: JSONValue
    ) {
        try await send(
            .patch, path,
            [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": operations,
            ])
    }
}
