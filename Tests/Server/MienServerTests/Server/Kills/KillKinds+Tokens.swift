import Foundation
import MienAPI
import MienClient
import MienCore

/// Grants, and the tokens and codes that are exchanged for them once.
extension KillKinds {
    struct RefreshState: Sendable {
        let name: String
        var token: String
    }

    private static func bytes() -> String { UUID().uuidString }

    /// Tokens for a journey's token. Once used, it stays used.
    var journeyTokens: KillKind {
        { client, server in
            let (_, name) = try await self.newUser(client, server, "exchange"),
                token = try await server.journeyToken(name)
            @Sendable func exchange(_ server: AttackedServer) async throws -> TokenClient.Answer {
                try await server.tokens.token(
                    TokenClient.exchange,
                    [("subject_token", token), ("subject_token_type", TokenClient.jwt)])
            }
            try await client.write(
                "journey tokens exchanged", name
            ) { server in
                try await exchange(server).status == 200 ? .notDone : .done
            } by: {
                let answer = try await exchange(server)
                guard answer.status == 200 else {
                    throw KillClient.Refused("exchange", answer.body)
                }
                return { server in
                    let again = try await exchange(server),
                        info = try await server.tokens.userInfo(answer["access_token"])
                    return again.error == "invalid_grant" && info.status == 200
                        ? nil : "again: \(again.status), its access token: \(info.status)"
                }
            }
        }
    }

    private static func refresh(_ token: String, repeatKey: String? = nil, _ server: AttackedServer)
        async throws -> TokenClient.Answer
    {
        try await server.tokens.refresh(token, repeatKey.map { [("repeat_key", $0)] } ?? [])
    }

    /// A refresh whose answer was lost is repeated for the client that sent it.
    var rotations: KillKind {
        { client, server in
            if self.refresh.value == nil {
                let (_, name) = try await self.newUser(client, server, "refresh")
                guard let token = try await server.signIn(name)["refresh_token"] else {
                    throw KillClient.Refused("refresh", name)
                }
                self.refresh.value = RefreshState(name: name, token: token)
            }
            let state = self.refresh.value!, key = Self.bytes()
            @Sendable func take(_ answer: TokenClient.Answer) -> Bool {
                guard answer.status == 200, let token = answer["refresh_token"] else {
                    return false
                }
                self.refresh.value?.token = token
                return true
            }
            try await client.write(
                "refresh tokens rotated", "refresh of \(state.name)"
            ) { server in
                let answer = try await Self.refresh(state.token, repeatKey: key, server)
                return take(answer) ? .done : .torn("\(state.name): \(answer.body)")
            } by: {
                let answer = try await Self.refresh(state.token, repeatKey: key, server)
                guard take(answer) else { throw KillClient.Refused("refresh", answer.body) }
                return { server in
                    let answer = try await Self.refresh(
                        self.refresh.value!.token, repeatKey: Self.bytes(), server)
                    return take(answer)
                        ? nil : "the newest refresh token is refused: \(answer.body)"
                }
            }
        }
    }

    /// With another repeat key, reusing a refresh token ends its family.
    var usedRefreshTokens: KillKind {
        { client, server in
            let (_, name) = try await self.newUser(client, server, "used")
            guard let token = try await server.signIn(name)["refresh_token"] else {
                throw KillClient.Refused("refresh", name)
            }
            try await client.write(
                "refresh tokens used", name
            ) { server in
                try await Self.refresh(token, repeatKey: Self.bytes(), server).status == 200
                    ? .notDone : .done
            } by: {
                let answer = try await Self.refresh(token, repeatKey: Self.bytes(), server)
                guard answer.status == 200 else { throw KillClient.Refused("refresh", answer.body) }
                return { server in
                    let again = try await Self.refresh(token, repeatKey: Self.bytes(), server),
                        info = try await server.tokens.userInfo(answer["access_token"])
                    return again.error == "invalid_grant" && info.status == 401
                        ? nil : "again: \(again.status), its access token: \(info.status)"
                }
            }
        }
    }

    var authorizationCodes: KillKind {
        { client, server in
            let (_, name) = try await self.newUser(client, server, "page"),
                code = try await server.authorizationCode(name, app: "web")
            @Sendable func redeem(_ server: AttackedServer) async throws -> TokenClient.Answer {
                try await TokenClient(server: server, app: "web").token(
                    "authorization_code",
                    [
                        ("code", code), ("redirect_uri", AttackedServer.redirect),
                        ("code_verifier", AttackedServer.verifier),
                    ])
            }
            try await client.write("authorization codes used", name) { server in
                try await redeem(server).status == 200 ? .notDone : .done
            } by: {
                let answer = try await redeem(server)
                guard answer.status == 200 else { throw KillClient.Refused("code", answer.body) }
                return { server in
                    let again = try await redeem(server)
                    // A code used twice was stolen, so its tokens end.
                    let info = try await TokenClient(server: server, app: "web").userInfo(
                        answer["access_token"])
                    return again.error == "invalid_grant" && info.status == 401
                        ? nil : "again: \(again.status), its access token: \(info.status)"
                }
            }
        }
    }
}
