internal import MienAPI
internal import MienCore

extension Connection {
    /// Sends a form. An OAuth error response becomes a ``MienError`` with ``MienError/oauthError``.
    func form(
        _ path: [String], _ fields: [(String, String)], access: MienSession.Access? = nil,
        prover: DPoPProver? = nil, isRepeatable: Bool = false
    ) async throws -> HTTPTransportResponse {
        let text = FormFields(fields.map { .init($0, $1) }).text
        return try await send(
            Call(
                method: .post, path: path, bearer: access?.token, prover: access?.prover ?? prover,
                contentType: "application/x-www-form-urlencoded", body: Array(text.utf8),
                isRepeatable: isRepeatable, renewed: access?.renewed))
    }
}
