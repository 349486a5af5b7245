import Foundation
import MienAPI
import MienClient
import MienCore

/// Sign-ups and recovery codes.
extension KillKinds {
    private static let codesPath = "/v1/me/recovery-codes"

    private static func remaining(_ access: String?, _ server: AttackedServer) async throws -> Int?
    {
        try await server.sendJSON(.get, codesPath, access: access).body["remaining"]?.numberValue
            .map { Int($0) }
    }

    private static func makeCodes(_ access: String?, _ server: AttackedServer) async throws
        -> [String]
    {
        let answer = try await server.sendJSON(.post, codesPath, access: access)
        guard answer.status == 201, let codes = answer.body["codes"]?.arrayValue else {
            throw KillClient.Refused("recovery codes", answer)
        }
        return codes.compactMap(\.stringValue)
    }

    var recoveryCodeSets: KillKind {
        { client, server in
            let (id, name) = try await self.newUser(client, server, "set"),
                access = try await server.signIn(name)["access_token"]
            @Sendable func state(_ server: AttackedServer) async throws -> (
                remaining: Int?, rows: Int, entries: Int
            ) {
                (
                    try await Self.remaining(access, server),
                    try await server.admin.authenticators(of: id).count {
                        $0.type == .known(.recoveryCode)
                    },
                    try await Self.events("recovery_code.registered", of: id, server)
                )
            }
            try await client.write("sets of recovery codes made", name) { server in
                let found = try await state(server)
                if found == (0, 0, 0) { return .notDone }
                return found == (10, 1, 1) ? .done : .torn("\(name): \(found)")
            } by: {
                let codes = try await Self.makeCodes(access, server)
                return { server in
                    let found = try await state(server)
                    return codes.count == 10 && found == (10, 1, 1)
                        ? nil : "\(codes.count) codes, \(found)"
                }
            }
        }
    }

    /// A recovery code: it signs in once, and repeating the response returns the same answer.
    var recoveryCodes: KillKind {
        { client, server in
            let (id, name) = try await self.newUser(client, server, "recovery"),
                access = try await server.signIn(name)["access_token"]
            let code = try await Self.makeCodes(access, server)[3]
            @Sendable func begin(_ server: AttackedServer) async throws -> String {
                let begun = try await server.start("recovery-code")
                guard let state = begun.body["state"]?.stringValue else {
                    throw KillClient.Refused("recovery-code", begun)
                }
                return state
            }
            @Sendable func answer(_ state: String, _ server: AttackedServer) async throws -> Bool {
                let data: [String: JSONValue] = [
                    "user_identifier": .string(name), "code": .string(code),
                ]
                return try await server.respond(state, "recovery_code", data).body["token"] != nil
            }
            @Sendable func uses(_ server: AttackedServer) async throws -> Int {
                try await Self.events("recovery_code.accepted", of: id, server)
            }
            let state = try await begin(server)
            try await client.write("recovery codes used", name) { server in
                let before = try await uses(server), left = try await Self.remaining(access, server)
                guard left == 10 - before, before <= 1 else {
                    return .torn("\(name): \(before) uses, \(left ?? -1) codes left")
                }
                // Repeating the response signs in, whether the code was taken before the kill or is
                // taken now.
                guard try await answer(state, server), try await uses(server) == 1 else {
                    return .torn("\(name): refused after \(before) uses")
                }
                return before == 1 ? .done : .notDone
            } by: {
                guard try await answer(state, server) else {
                    throw KillClient.Refused("recovery code", name)
                }
                return { server in
                    let again = try await answer(state, server),
                        other = try await answer(begin(server), server)
                    let count = try await uses(server),
                        left = try await Self.remaining(access, server)
                    return again && !other && count == 1 && left == 9
                        ? nil : "\(again), \(other), \(count) uses, \(left ?? -1) left"
                }
            }
        }
    }

    /// A sign-up whose last step completes it: the account either can sign in with its password and
    /// its verified address, or is still pending.
    var signUps: KillKind {
        { client, server in
            let name = await client.fresh("newcomer")
            guard let begun = try await server.start("sign-up").body["state"]?.stringValue else {
                throw KillClient.Refused("sign-up", name)
            }
            let form: [String: JSONValue] = [
                "username": .string(name), "email": .string("\(name)@example.org"),
                "password": .string(AttackedServer.password),
            ]
            guard
                let proving = try await server.respond(begun, "account", form).body["state"]?
                    .stringValue,
                let last = try await server.respond(
                    proving, "client_input", ["passcode": .string(server.mailedCode(to: name))]
                ).body["state"]?.stringValue
            else { throw KillClient.Refused("sign-up", name) }
            @Sendable func isWhole(_ server: AttackedServer) async throws -> Bool {
                guard let user = try await server.admin.findUser("\(name)@example.org") else {
                    return false
                }
                let signsIn = try await Self.signsIn(name, AttackedServer.password, server)
                return user.state == .known(.active) && user.username == name
                    && user.emailVerified == true
                    && signsIn
            }
            try await client.write("sign-ups completed", name) { server in
                let found = try await server.admin.findUser(name)
                if found?.state == .known(.active) {
                    return try await isWhole(server)
                        ? .done : .torn("\(name): active, but does not sign in")
                }
                guard found?.state == .known(.pending),
                    try await server.respond(last, "cancel").body["token"] != nil,
                    try await isWhole(server)
                else {
                    return .torn(
                        "\(name): \(found?.state.rawValue ?? "gone"), but does not complete")
                }
                return .notDone
            } by: {
                let answer = try await server.respond(last, "cancel")
                guard answer.body["token"] != nil else {
                    throw KillClient.Refused("sign-up", answer)
                }
                return { server in try await isWhole(server) ? nil : "\(name) does not sign in" }
            }
        }
    }
}
