import Foundation
import MienTesting
import Testing

@testable import MienStore

/// Tests that need no database.
@Suite struct PostgresValueTests {
    @Test(arguments: [
        ("SELECT 1", "SELECT 1", 0),
        ("a = ? AND b IN (?, ?)", "a = $1 AND b IN ($2, $3)", 3),
        ("a = '?' AND b = ?", "a = '?' AND b = $1", 1),
        ("a = 'it''s ?' AND b = ?", "a = 'it''s ?' AND b = $1", 1),
        ("\"odd?name\" = ?", "\"odd?name\" = $1", 1),
        ("a = ? -- why?\nAND b = ?", "a = $1 -- why?\nAND b = $2", 2),
        ("a /* what? */ = ?", "a /* what? */ = $1", 1),
        ("a - ? / ? * '-- ?'", "a - $1 / $2 * '-- ?'", 2),
        ("a = 'open ?", "a = 'open ?", 0), ("/* open ?", "/* open ?", 0), ("-- ?", "-- ?", 0),
        ("é = ? AND x = 'ü?'", "é = $1 AND x = 'ü?'", 1),
    ])
    func `values are numbered outside of literals, names, and comments`(
        sql: String, expected: String, values: Int
    ) {
        let statement = PostgresText.translate(sql)
        #expect(statement.text == expected && statement.values == values)
    }

    @Test func `only statements that run often are prepared, and the changed table is known`() {
        func kept(_ sql: String) -> Bool { PostgresText.translate(sql).isKept }
        #expect(
            kept("select 1") && kept("  INSERT INTO a VALUES (?)") && kept("WITH x AS (…) SELECT"))
        #expect(!kept("CREATE TABLE a ()") && !kept("BEGIN") && !kept("ALTER TABLE a"))
        #expect(!kept("INSERT INTO a VALUES (" + Array(repeating: "?", count: 101).joined() + ")"))
        #expect(PostgresText.translate("DELETE FROM account WHERE id = ?").changed == "account")
        #expect(
            PostgresText.translate(
                "INSERT INTO account (id) VALUES (?) ON CONFLICT DO UPDATE SET id = 1"
            )
            .changed == "account")
        #expect(PostgresText.translate("INSERT INTO account (id) VALUES (?)").changed == nil)
        #expect(PostgresText.translate("UPDATE account\n SET id = ?").changed == "account")
        #expect(PostgresText.translate("INSERT INTO account VALUES (1)").changed == nil)
    }

    @Test(arguments: [
        ("postgresql://mien@/mien", "localhost/mien"),
        ("postgresql://mien@localhost:5433/x", "localhost:5433/x"),
        ("postgres://127.0.0.1/x?sslmode=disable", "127.0.0.1/x"),
        ("postgresql:///x?host=/run/postgresql", "/run/postgresql/x"),
        ("postgresql://db.example/x", "db.example/x"),
        ("postgresql://a.example:1,b.example:2/x?sslmode=verify-full", "a.example:1,b.example:2/x"),
    ])
    func `an address is described without user and parameters`(url: String, place: String) throws {
        #expect(try PostgresSettings(url).place == place)
    }

    @Test(arguments: [
        ("mysql://db/x", "postgresql://"), ("", "postgresql://"),
        ("postgresql://db.example/x?nonsense=1", "postgresql://"),
        ("postgresql://mien:geheim@localhost/x", "store.password_file"),
        ("postgresql:///x?password=geheim", "store.password_file"),
        ("postgresql://db.example/x?sslmode=require", "sslmode=require"),
        ("postgresql://db.example/x?sslmode=prefer", "sslmode=prefer"),
        ("postgresql://db.example/x?sslmode=disable", "sslmode=disable"),
        ("postgresql://db.example/x?sslmode=verify-ca", "sslmode=verify-ca"),
        ("postgresql://localhost,db.example/x?sslmode=allow", "sslmode=allow"),
        ("postgresql://127.0.0.1.example/x?sslmode=disable", "sslmode=disable"),
        ("postgresql://localhost/x?hostaddr=10.0.0.1", "hostaddr"),
        ("postgresql://localhost/x?options=-cfsync%3Doff", "options"),
        ("postgresql://localhost/x?service=other", "service"),
    ])
    func `an address that is malformed or unprotected is refused, with the way to mend it`(
        url: String, words: String
    ) {
        let error = #expect(throws: StoreError.self) { try PostgresSettings(url) }
        #expect(error?.code == .unreachable && error?.reason.contains(words) == true)
        #expect(error?.reason.contains("geheim") == false)
    }

    @Test func `variables of the environment cannot weaken a connection`() throws {
        let parameters = try Dictionary(
            uniqueKeysWithValues: PostgresSettings("postgresql://db.example/x")
                .connectionParameters())
        #expect(parameters["sslmode"] == "verify-full" && parameters["sslrootcert"] != nil)
        // Nor can they lead to another server, for which the rules would be those of the named one.
        func refusal(_ variable: String, _ url: String) -> String? {
            do {
                _ = try PostgresSettings(url, environment: [variable: "db.example"])
                return nil
            } catch { return error.reason }
        }
        for variable in ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGOPTIONS"] {
            #expect(refusal(variable, "postgresql:///x")?.contains(variable) == true)
        }
        #expect(refusal("PGHOSTADDR", "postgresql://db.example/x")?.contains("Unset") == true)
        #expect(refusal("PGHOST", "postgresql://db.example/x") == nil)
        #expect(refusal("PGPASSFILE", "postgresql:///x") == nil)
    }

    @Test(
        arguments: [
            ("geheim", "geheim"), ("geheim\n", "geheim"), ("geheim\r\n", "geheim"),
            ("\u{FEFF}geheim\r\n", "geheim"), (" ge heim \n", " ge heim "),
            ("", nil), ("\r\n", nil), ("geheim\n\n", nil), ("geheim\r\nmore", nil),
            ("g\u{0}e", nil),
        ] as [(String, String?)])
    func `a password file has one line, however it ends`(text: String, password: String?) throws {
        let scratch = try ScratchFolder(), file = scratch("password")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let settings = try PostgresSettings("postgresql:///x", passwordFile: file.path)
        guard let password else {
            let error = #expect(throws: PostgresFailure.self) {
                try settings.connectionParameters()
            }
            #expect(error?.reason.contains("must contain one line") == true)
            return
        }
        let found = try settings.connectionParameters().first { $0.0 == "password" }
        #expect(found?.1 == password)
    }

    @Test func `a pooler that shares sessions is named as the reason`() {
        for (state, message) in [
            ("26000", "prepared statement \"m1\" does not exist"),
            ("42P05", "prepared statement \"m1\" already exists"),
            ("", "FATAL: unsupported startup parameter: options"),
        ] {
            let failure = PostgresFailure(
                state: state, message: message, constraint: "", isLost: false)
            #expect(failure.storeError.reason.contains("pool_mode to session"))
        }
        let other = PostgresFailure(
            state: "57014", message: "canceling statement", constraint: "", isLost: false)
        #expect(!other.reason.contains("pool"))
    }

    /// The words before the digits, the digits, and what they mean.
    private static let sums: [(head: [Int], digits: [Int], value: SQLValue)] = [
        ([0, 0, 0, 0], [], .integer(0)),
        ([1, 0, 0, 0], [1], .integer(1)),
        ([1, 1, 0, 0], [1], .integer(10_000)),
        ([2, 1, 0x4000, 0], [1234, 5678], .integer(-12_345_678)),
        ([2, 0, 0, 1], [1, 5000], .real(1.5)),
        ([1, -1, 0x4000, 2], [2500], .real(-0.25)),
        ([5, 4, 0, 0], [922, 3372, 368, 5477, 5807], .integer(.max)),
        ([5, 4, 0x4000, 0], [922, 3372, 368, 5477, 5808], .integer(.min)),
        ([1, 2, 0, 0], [7], .integer(700_000_000)),
    ]

    @Test(arguments: 0..<9)
    func `sums are read as integers where they are`(index: Int) {
        let (head, digits, value) = Self.sums[index]
        var bytes: [UInt8] = []
        for word in head + digits {
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
            bytes.append(UInt8(truncatingIfNeeded: word))
        }
        #expect(SQLValue(bytes, 1700) == value)
    }

    @Test func `values of unknown types and damaged values are not read`() {
        #expect(
            SQLValue([1], 9999) == nil && SQLValue([0xFF], 25) == nil && SQLValue([], 20) == nil)
        #expect(SQLValue([0, 1], 1700) == nil)
        #expect(SQLValue([0, 5, 0, 4, 0, 0, 0, 0], 1700) == nil)
        // More than 64 bits.
        let large: [UInt8] = [0, 5, 0, 4, 0, 0, 0, 0, 0x27, 0x0F, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(SQLValue(large, 1700) == nil)
    }

    @Test func `a message of several lines becomes one`() {
        let failure = PostgresFailure(
            state: "", message: "connection failed: no such file\n\tIs the server running?\n",
            constraint: "", isLost: true)
        #expect(
            failure.storeError.reason
                == "PostgreSQL: connection failed: no such file Is the server running?")
    }

    @Test func `errors contain no stored value`() {
        let failure = PostgresFailure(
            state: "22P02", message: "invalid input syntax for type integer: \"geheim\"",
            constraint: "", isLost: false)
        #expect(failure.storeError.reason == "PostgreSQL error 22P02")
        let unique = PostgresFailure(
            state: "23505", message: "duplicate key: geheim", constraint: "account_pkey",
            isLost: false)
        #expect(unique.storeError.code == .conflict)
        #expect(unique.storeError.reason.contains("account_pkey"))
        #expect(!unique.storeError.reason.contains("geheim"))
        #expect(
            PostgresFailure(state: "23503", message: "x", constraint: "", isLost: false).storeError
                .code == .stale)
    }
}
