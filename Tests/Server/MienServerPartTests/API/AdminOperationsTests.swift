import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienServer

@Suite("Roles of administrators")
struct AdminOperationsTests {
    /// The requests that send a body and change nothing: questions about it.
    private static let questions: Set = [
        "POST /v1/journeys/check", "POST /v1/journeys/code", "POST /v1/journeys/simulate",
    ]

    @Test(
        "every request of the admin API needs a permission, and none is listed that does not exist")
    func complete() throws {
        let described = try APIDocument.operations().filter { _, operation in
            operation["security"]?.arrayValue?.contains { $0["admin"] != nil } == true
        }
        #expect(Set(AdminOperations.all.keys) == Set(described.keys))
        for (name, operation) in described {
            let answers = operation["responses"]?.names ?? []
            let needed = try #require(AdminOperations.all[name])
            let isForEverybody = AdminRole.allCases.allSatisfy {
                $0.permissions.contains(needed.permission)
            }
            #expect(answers.contains("403") != isForEverybody, "\(name)")
            // The answer to a sign-in that is too old is another one than that to none.
            let refusal = operation["responses"]?["401"]?["$ref"]?.stringValue
            #expect(
                (refusal == "#/components/responses/SignInTooWeak")
                    == (needed.signIn != .session), "\(name)")
        }
    }

    @Test(
        "only owners manage administrators and prune the audit log; auditors change only their own sign-in"
    )
    func roles() {
        #expect(AdminRole.owner.permissions == Set(AdminPermission.allCases))
        for role in AdminRole.allCases where role != .owner {
            #expect(
                role.permissions.isDisjoint(with: [
                    .changeAdministrators, .pruneAudit, .changeMasterKeys,
                ]),
                "\(role)")
        }
        let reading = AdminPermission.allCases.filter { $0.rawValue.hasPrefix("read") }
        #expect(AdminRole.auditor.permissions == Set(reading + [.changeSelf]))
        #expect(AdminRole.allCases.allSatisfy { $0.permissions.contains(.changeSelf) })
        #expect(
            AdminRole.allCases.filter { $0.permissions.contains(.reviewIdentities) }
                == [.owner, .reviewer])
        for (name, needed) in AdminOperations.all
        where needed.permission.rawValue.hasPrefix("read") {
            #expect(
                name.hasPrefix("GET ") || Self.questions.contains(name),
                "\(name) changes something")
        }
    }

    /// Lists the changes that a browser that was left open may still make: they close access, or
    /// do not touch it. All others need a sign-in that has just begun. A new route is on this list
    /// only if somebody puts it there.
    @Test("every change needs a fresh sign-in, except those that are listed")
    func fresh() {
        let harmless: Set = [
            "DELETE /v1/administrator/session", "DELETE /v1/administrator/sessions",
            "DELETE /v1/administrators/invitations/{invitation}",
            "DELETE /v1/administrators/{administrator}/setup-code",
            "POST /v1/apps/{app}/logout/test", "POST /v1/apps/{app}/webhook/test",
            "POST /v1/journeys/trial/answer", "POST /v1/journeys/webhook/test",
            "POST /v1/mail/test",
            "PUT /v1/journeys/{journey}/versions/{version}",
            "POST /v1/journeys/{journey}/versions/{version}/trial",
            "POST /v1/organizations", "DELETE /v1/organizations/{organization}/apps/{app}",
            "DELETE /v1/organizations/{organization}/invitations/{invitation}",
            "DELETE /v1/organizations/{organization}/members/{user}",
            "DELETE /v1/organizations/{organization}/scim-tokens/{scimtoken}",
            "PUT /v1/page-settings",
            "DELETE /v1/product-keys/{productkey}",
            "DELETE /v1/registration-tokens/{registrationtoken}",
            "POST /v1/users/{user}/compromised",
            "POST /v1/users/{user}/authenticators/{authenticator}/lock",
            "DELETE /v1/users/{user}/sign-ins", "DELETE /v1/users/{user}/sign-ins/{signin}",
            "POST /v1/verifications/sources/{source}/test",
        ]
        let open = AdminOperations.all.filter { name, needed in
            needed.signIn == .session && !name.hasPrefix("GET ")
        }
        #expect(Set(open.keys) == harmless.union(Self.questions))
        for (name, needed) in AdminOperations.all where name.hasPrefix("GET ") {
            #expect(needed.signIn == .session, "\(name) only reads")
        }
        // The own sign-in methods, and nothing else, need a session.
        #expect(
            Set(AdminOperations.all.filter { $0.value.signIn == .freshSession }.keys)
                == Set(
                    AdminOperations.all.keys.filter {
                        !$0.hasPrefix("GET ")
                            && $0.contains(
                                /\s\/v1\/administrator\/(passkeys|password|authenticator)/)
                    }))
    }

    /// Compares docs/administrators.md with the permissions. `MIEN_UPDATE=1` writes it.
    @Test("the page lists every request and who may send it")
    func page() throws {
        let file = Repository.root.appending(path: "docs/administrators.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        let marks = ("<!-- requests -->\n", "<!-- end of requests -->")
        let start = try #require(page.firstRange(of: marks.0)).upperBound
        let end = try #require(page.firstRange(of: marks.1)).lowerBound
        if ProcessInfo.processInfo.environment["MIEN_UPDATE"] == "1" {
            page.replaceSubrange(start..<end, with: Self.table)
            try Data(page.utf8).write(to: file)
        } else {
            #expect(page[start..<end] == Self.table, "MIEN_UPDATE=1 writes the page")
        }
    }

    private static var table: String {
        let roles = AdminRole.allCases
        var lines = [
            "", "| request | \(roles.map(\.rawValue).joined(separator: " | ")) | sign-in |",
            "|---|\(roles.map { _ in ":-:" }.joined(separator: "|"))|---|",
        ]
        let sorted = AdminOperations.all.sorted {
            let (one, two) = ($0.key.split(separator: " "), $1.key.split(separator: " "))
            return (one[1], one[0]) < (two[1], two[0])
        }
        for (name, needed) in sorted {
            let cells = roles.map { $0.permissions.contains(needed.permission) ? "✓" : "" }
            let signIn =
                switch needed.signIn {
                case .session: ""
                case .fresh: "fresh"
                case .freshSession: "fresh, no credential"
                }
            lines.append("| `\(name)` | \((cells + [signIn]).joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n\n"
    }
}
