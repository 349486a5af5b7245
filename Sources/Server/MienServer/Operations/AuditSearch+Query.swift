internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

extension AuditSearch {
    /// Reads a search from the query of `GET /v1/audit`.
    ///
    /// - Throws: ``Problem`` that names an invalid parameter.
    init(_ request: Request) throws {
        let query = request.uri.queryParameters
        self.init(
            account: try query["user"].map { try UserID(String($0), field: "user") },
            event: query["event"].map(String.init),
            administrator: try query["administrator"].map {
                try AdminID(String($0), field: "administrator")
            },
            from: try Self.time(query["from"], "from"),
            until: try Self.time(query["until"], "until"),
            isNewestFirst: try Self.isNewestFirst(query["order"]))
    }

    private static func time(_ text: Substring?, _ field: String) throws -> Instant? {
        guard let text else { return nil }
        guard let time = Int64(text), time >= 0 else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(field: field, message: "must be a time in milliseconds since 1970")
                ])
        }
        return Instant(milliseconds: time)
    }

    private static func isNewestFirst(_ text: Substring?) throws -> Bool {
        switch text {
        case nil, "oldest": return false
        case "newest": return true
        default:
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "order", message: "must be oldest or newest")])
        }
    }
}
