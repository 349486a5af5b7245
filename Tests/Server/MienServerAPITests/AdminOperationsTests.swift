import Foundation
import MienAccess
import MienCore
import MienTesting
import Testing

@testable import MienServerAccess

@Suite("Roles of administrators")
struct AdminOperationsTests {
    @Test(
        "every request of the admin API needs a permission, and none is listed that does not exist")
    func complete() throws {
        let described = try APIDocument.operations().filter { _, operation in
            operation["security"]?.arrayValue?.contains { $0["admin"] != nil } == true
        }
        #expect(Set(AdminOperations.permissions.keys) == Set(described.keys))
        for (name, operation) in described {
            let answers = operation["responses"]?.names ?? []
            let isForEverybody = AdminRole.allCases.allSatisfy {
                AdminOperations.permissions[name].map($0.permissions.contains) == true
            }
            #expect(answers.contains("403") != isForEverybody, "\(name)")
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
        for (name, permission) in AdminOperations.permissions
        where permission.rawValue.hasPrefix("read") {
            #expect(
                name.hasPrefix("GET ") || AdminOperations.questions.contains(name),
                "\(name) changes something")
        }
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
            "", "| request | \(roles.map(\.rawValue).joined(separator: " | ")) |",
            "|---|\(roles.map { _ in ":-:" }.joined(separator: "|"))|",
        ]
        let sorted = AdminOperations.permissions.sorted {
            let (one, two) = ($0.key.split(separator: " "), $1.key.split(separator: " "))
            return (one[1], one[0]) < (two[1], two[0])
        }
        for (name, permission) in sorted {
            let cells = roles.map { $0.permissions.contains(permission) ? "✓" : "" }
            lines.append("| `\(name)` | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n\n"
    }
}
