internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// A request for members: one page of them, or the one that has a name.
struct MemberPage {
    let after: UserID?
    /// An ID or a login name.
    let identifier: String?
    /// Whether only administrators are wanted.
    let areAdmins: Bool

    /// Whether administrators of the server ask.
    let isForOperator: Bool

    init(_ request: Request, isForOperator: Bool = true) throws {
        self.isForOperator = isForOperator
        let query = request.uri.queryParameters
        after = try query["after"].map { try UserID(String($0), field: "after") }
        identifier = query["identifier"].map { String($0) }
        areAdmins =
            try query["administrators"].map { text in
                guard let flag = Bool(String(text)) else {
                    throw Problem.field("administrators", "must be true or false")
                }
                return flag
            } ?? false
    }

    func answer(_ members: MemberService, in id: OrganizationID, by actor: OrganizationActor)
        async throws -> Page<OrganizationMemberAnswer>
    {
        if let identifier {
            let found = try await members.find(identifier, in: id, by: actor)
            return Page(items: found.map { [answer($0)] } ?? [])
        }
        let found = try await members.page(
            of: id, areAdmins: areAdmins, after: after, count: AdminRecords.pageSize, by: actor)
        return Page(
            items: found.map(answer),
            next: found.count == AdminRecords.pageSize ? found.last?.account.id.text : nil)
    }

    private func answer(_ found: MemberService.Member) -> OrganizationMemberAnswer {
        OrganizationAnswers.member(found, isForOperator: isForOperator)
    }
}
