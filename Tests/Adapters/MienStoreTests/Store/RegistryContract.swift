import Foundation
import MienCore
import MienIdentity
import MienTesting
import MienVault
import Testing

@testable import MienStore

@Suite struct RegistryContract {
    private static func row(
        _ id: String, first: String = "Ada", last: String = "Lovelock",
        address: String = "12 Saint James Street", code: String = "30318",
        born: String = "1985-12-10", marks: Set<SourceAnswer.Mark> = []
    ) -> RegistryRow {
        RegistryRow(
            id: id,
            input: PersonalDataInput(
                firstName: first, lastName: last, address: address, city: "Atlanta", state: "GA",
                postalCode: code, country: "US", dateOfBirth: born), marks: marks)
    }

    private static func put(_ rows: [RegistryRow], _ test: TestStore, at seconds: Int = 0)
        async throws
    {
        try await test.store.write { tables in
            for row in rows { try tables.registry.put(row, at: .start + .seconds(seconds)) }
        }
    }

    private static func answer(_ row: RegistryRow, _ test: TestStore) async throws -> SourceAnswer {
        let person = try PersonalData(row.input)
        return try await test.store.read {
            SourceAnswer(comparing: person, with: try $0.registry.candidates(for: person))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a person is found under every spelling, and nobody else`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        try await Self.put(
            [
                Self.row("1"), Self.row("2", first: "Eve", last: "Moss", born: "1990-01-02"),
                Self.row("3", last: "Mühl", address: "1 Elm Rd", code: "10001"),
            ], test)
        for row in [
            Self.row("", first: "ADA", address: "12 St. James St"),
            Self.row("", last: "Lovelok"),
            Self.row("", last: "Muehl", address: "1 elm road", code: "10001-1234"),
        ] {
            #expect(try await Self.answer(row, test).scores?.agrees == true)
        }
        for row in [
            Self.row("", first: "Eve"), Self.row("", born: "1985-12-11"),
            Self.row("", last: "Mühl"),
        ] {
            #expect(try await Self.answer(row, test).scores?.agrees != true)
        }
        #expect(
            try await Self.answer(Self.row("", code: "99999", born: "2000-01-01"), test).scores
                == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `an import replaces the rows with the same IDs, and can delete the others`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        try await Self.put([Self.row("1"), Self.row("2", last: "Moss")], test)
        try await Self.put([Self.row("1", last: "Newname", marks: [.deceased])], test, at: 60)
        #expect(try await Self.answer(Self.row(""), test).scores?.agrees == false)
        let renamed = try await Self.answer(Self.row("", last: "Newname"), test)
        #expect(renamed.scores?.agrees == true && renamed.block == .deceased)
        #expect(try await test.store.read { try $0.registry.count() } == 2)
        let keysBefore = try await test.count("registry_key")
        #expect(
            try await test.store.write {
                try $0.registry.delete(updatedBefore: .start + .seconds(60), atMost: 10)
            } == 1)
        #expect(try await test.count("registry_key") == keysBefore - 2)
        #expect(try await test.store.write { try $0.registry.delete("1") })
        #expect(try await test.store.write { try !$0.registry.delete("1") })
        #expect(try await test.count("registry_person") == 0)
        #expect(try await test.count("registry_key") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `neither rows nor keys reveal anything, and rows cannot be exchanged`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        try await Self.put([Self.row("ID-MARKER", last: "Markerson"), Self.row("2")], test)
        if let bytes = try kind.bytes(in: test.folder) {
            for word in ["ID-MARKER", "Markerson", "markerson", "Atlanta", "30318", "1985"] {
                #expect(Data(bytes).range(of: Data(word.utf8)) == nil, "\(word)")
            }
        }
        // The same person under another master key has other hashes.
        let other = try await TestStore(kind, keys: StoreKeys(MasterKey(bytes: Array(2...33))))
        try await Self.put([Self.row("2")], other)
        let hashes = try await test.rows("SELECT text_hash FROM registry_key").map {
            try $0.blob(0)
        }
        let others = try await other.rows("SELECT text_hash FROM registry_key").map {
            try $0.blob(0)
        }
        #expect(!others.isEmpty && Set(hashes).isDisjoint(with: others))

        let rows = try await test.rows("SELECT id_hash, content_sealed FROM registry_person")
        for (row, source) in zip(rows, rows.reversed()) {
            _ = try await test.sql(
                "UPDATE registry_person SET content_sealed = ? WHERE id_hash = ?",
                .blob(try source.blob(1)), .blob(try row.blob(0)))
        }
        await #expect(throws: StoreError.self) { try await Self.answer(Self.row(""), test) }
    }

    @Test(arguments: StoreKind.allCases)
    func `of several rows with one ID in an import, the last stays`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let rows = ["Lovelock", "Moss", "Newname"].map { Self.row("1", last: $0) }
        let others = (2...40).map { Self.row("\($0)", last: "Other", born: "1990-01-02") }
        try await test.store.write { tables in
            try tables.registry.put(
                try (rows + others).map { try RegistryTable.Sealed($0, keys: TestStore.keys) },
                at: .start)
        }
        #expect(try await test.store.read { try $0.registry.count() } == 40)
        #expect(try await Self.answer(rows[2], test).scores?.agrees == true)
        #expect(try await Self.answer(rows[0], test).scores?.agrees == false)
        // Two keys of each person, and none of the rows that were replaced within the import.
        #expect(try await test.count("registry_key") == 80)
        let found = try await Self.answer(others[7], test)
        #expect(found.scores?.agrees == true)
    }

    @Test(arguments: StoreKind.allCases)
    func `imports of many people insert and replace each of them once`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        func put(_ numbers: Range<Int>, last: String, at seconds: Int) async throws {
            try await test.store.write { tables in
                try tables.registry.put(
                    try numbers.map {
                        try RegistryTable.Sealed(
                            Self.row("\($0)", last: last, born: "1990-01-\(10 + $0 % 20)"),
                            keys: TestStore.keys)
                    }, at: .start + .seconds(seconds))
            }
        }
        // More than the rows of one statement, and a rest.
        try await put(0..<150, last: "Moss", at: 0)
        try await put(100..<260, last: "Reed", at: 60)
        #expect(try await test.count("registry_person") == 260)
        #expect(try await test.count("registry_key") == 520)
        let names = try await test.store.read { tables in
            try (0..<260).map { number in
                let person = try PersonalData(
                    Self.row(
                        "", last: number < 100 ? "Moss" : "Reed",
                        born: "1990-01-\(10 + number % 20)"
                    ).input)
                return try tables.registry.candidates(for: person).contains {
                    person.scores(against: $0.data).agrees
                }
            }
        }
        #expect(names.allSatisfy { $0 })
        #expect(
            try await test.store.write {
                try $0.registry.delete(updatedBefore: .start + .seconds(60), atMost: 1000)
            } == 100)
        #expect(try await test.count("registry_key") == 320)
    }

    @Test func `the content of a row is what JSONEncoder gives`() throws {
        let texts = ["Ada", "", "a\"b\\c/", "a\u{1}\n\u{1F}\u{7F}", "Zoë “東京” 🙂"]
        for (index, text) in texts.enumerated() {
            let row = RegistryRow(
                id: "1",
                input: PersonalDataInput(
                    firstName: text, lastName: texts[(index + 1) % 5], address: text,
                    city: index % 2 == 0 ? text : nil, state: index % 3 == 0 ? nil : text,
                    postalCode: text, country: "US", dateOfBirth: text),
                marks: index == 2 ? [.fraud, .deceased] : index == 3 ? [.fraud] : [])
            let content = RegistryContent(row)
            let same = try JSONDecoder().decode(RegistryContent.self, from: Data(content.json))
            #expect(same.input == row.input && same.marks == row.marks)
            let sorted = try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(with: Data(content.json)),
                options: [.sortedKeys, .withoutEscapingSlashes])
            let encoded = try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(
                    with: Data(JSONColumn.bytes(content))),
                options: [.sortedKeys, .withoutEscapingSlashes])
            if row.marks.count < 2 { #expect(sorted == encoded) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `invalid data is refused and stores nothing`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        await #expect(throws: IdentityError.self) {
            try await Self.put([Self.row("1"), Self.row("2", code: "1")], test)
        }
        #expect(try await test.count("registry_person") == 0)
    }
}
