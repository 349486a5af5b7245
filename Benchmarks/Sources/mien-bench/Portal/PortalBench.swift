import Foundation
import MienCore
import MienIdentity
import MienLoad
import MienStore

/// Measures the lists that the admin portal shows, on a server in its own process.
struct PortalBench {
    let store: PortalStore
    let requests: Int
    /// The `mien` program.
    let program: URL

    struct Result: Encodable {
        let users: Int
        let pages: [Measured]
    }

    struct Measured: Encodable {
        let list: String
        let items: Int
        let page: String
        let latency: LoadFigures.Latency
    }

    /// A request, and how many items its answer must have.
    private struct Page {
        let list: String
        let items: Int
        let page: String
        let path: String
        let count: Int
    }

    func run() async throws -> Result {
        let server = try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging(["MIEN_DATA": store.folder.path]) { $1 })
        defer { server.stop() }
        return try await LoadClient.with(port: server.adminPort) { client in
            var measured: [Measured] = []
            for page in pages { measured.append(try await measure(page, client)) }
            measured.append(try await measureFinding(client))
            return Result(users: store.users, pages: measured)
        }
    }

    private func measure(_ page: Page, _ client: LoadClient) async throws -> Measured {
        var times: [Double] = []
        for _ in 0..<requests { times.append(try await time(page.path, page.count, client)) }
        return Measured(
            list: page.list, items: page.items, page: page.page,
            latency: LoadFigures.Latency(times))
    }

    /// Finds a different user each time.
    private func measureFinding(_ client: LoadClient) async throws -> Measured {
        var times: [Double] = []
        for number in 0..<requests {
            let name = PortalStore.name(number * (store.users / requests))
            times.append(try await time("/v1/users?identifier=\(name)", 1, client))
        }
        return Measured(
            list: "users", items: store.users, page: "by name",
            latency: LoadFigures.Latency(times))
    }

    private func time(_ path: String, _ count: Int, _ client: LoadClient) async throws -> Double {
        let start = ContinuousClock.now
        let answer = try await client.request("GET", path, bearer: store.credential)
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        let items = try? JSONText.parse(
            answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32))[
                "items"]?.arrayValue
        guard answer.status == 200, items?.count == count else {
            throw LoadError(
                "GET \(path) answered \(answer.status) with \(items?.count ?? 0) items instead of \(count)"
            )
        }
        return milliseconds
    }

    // MARK: Lists

    private var pages: [Page] {
        let cases = store.cases, apps = store.apps, user = PortalStore.user.text
        return list("users", "/v1/users", store.users, "usr_", UserKind.self)
            + list("apps", "/v1/apps", apps, "app_", AppKind.self)
            // The owner has the time of the first.
            + list("administrators", "/v1/administrators", apps, "adm_", AdminKind.self)
            + list("product keys", "/v1/product-keys", cases, "pk_", ProductKeyKind.self)
            + list("reviews", "/v1/verifications/cases", cases, "cas_", ReviewCaseKind.self)
            + list("duplicate faces", "/v1/faces/duplicates", cases, "dup_", DuplicateCaseKind.self)
            + list(
                "sign-ins of a user", "/v1/users/\(user)/sign-ins", cases, "grt_", GrantKind.self,
                isNewestFirst: true)
            + organizations + audit
    }

    /// The first page, one in the middle, and the last full one.
    private func list<Kind: IdentifierKind>(
        _ name: String, _ path: String, _ count: Int, _ prefix: String, _: Kind.Type,
        isNewestFirst: Bool = false
    ) -> [Page] {
        // The index of the item before the page.
        [("first", nil), ("middle", min(count / 2, count - 101)), ("last", count - 101)].map {
            (page: String, before: Int?) in
            let query = before.map { index in
                let place = isNewestFirst ? count - 1 - index : index
                return "?after=\(PortalStore.id(place, prefix, Kind.self).text)"
            }
            return Page(
                list: name, items: count, page: page, path: path + (query ?? ""), count: 100)
        }
    }

    private var organizations: [Page] {
        let path = "/v1/organizations/\(PortalStore.organization.text)"
        return list("organizations", "/v1/organizations", store.apps, "org_", OrganizationKind.self)
            + list(
                "members of an organization", "\(path)/members", store.cases, "usr_",
                UserKind.self)
            + [
                Page(
                    list: "its invitations", items: PortalStore.invitations, page: "all",
                    path: "\(path)/invitations", count: PortalStore.invitations)
            ]
    }

    private var audit: [Page] {
        let owner = PortalStore.owner.text, rare = (store.users - 8) / 100_000 + 1
        // Somebody without a case: views of cases are entries, too.
        let user = PortalStore.id(store.users - 1, "usr_", UserKind.self).text
        let searches: [(String, String, Int)] = [
            ("first", "", 100), ("middle", "?after=\(store.users / 2)", 100),
            ("last", "?order=newest", 100), ("by event", "?event=\(PortalStore.event)", 100),
            ("by user", "?user=\(user)", 1),
            ("by administrator", "?administrator=\(owner)&order=newest", 100),
            (
                "by administrator and rare event",
                "?administrator=\(owner)&event=\(PortalStore.rareEvent)", min(100, rare)
            ),
        ]
        return searches.map {
            Page(
                list: "audit log", items: store.users, page: $0.0, path: "/v1/audit\($0.1)",
                count: $0.2)
        }
    }
}
