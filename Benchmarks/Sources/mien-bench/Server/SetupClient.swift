import MienLoad

/// Prepares a server for a load: calls its public and its admin API, and accepts only success.
struct SetupClient {
    let client: LoadClient
    let admin: LoadClient
    let adminCredential: String

    /// Runs `body` with a client of `server`.
    static func with<Output: Sendable>(
        _ server: LoadServer, _ body: (SetupClient) async throws -> Output
    ) async throws -> Output {
        try await LoadClient.with(port: server.port) { client in
            try await LoadClient.with(port: server.adminPort) { admin in
                try await body(
                    SetupClient(
                        client: client, admin: admin, adminCredential: server.adminCredential))
            }
        }
    }

    @discardableResult
    func call(_ method: String, _ path: String, _ json: String, asAdmin: Bool = false)
        async throws -> LoadAnswer
    {
        let answer = try await (asAdmin ? admin : client).request(
            method, path, type: "application/json", body: Array(json.utf8),
            bearer: asAdmin ? adminCredential : nil)
        guard (200..<300).contains(answer.status) else {
            throw LoadError("\(method) \(path): \(answer.status) \(answer.bodyText)")
        }
        return answer
    }
}
