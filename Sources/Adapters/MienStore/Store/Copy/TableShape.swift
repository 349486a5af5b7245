internal import GRDB

/// A table's columns and how it depends on others.
struct TableShape: Sendable, Hashable {
    let name: String
    let columns: [String]
    /// The columns of the primary key, in its order.
    let key: [String]
    /// The tables that its rows refer to.
    let parents: Set<String>

    /// The positions of the key's columns among ``columns``.
    var keyPositions: [Int] { key.compactMap(columns.firstIndex) }

    /// Returns the tables of a database file, each after those that it refers to. Without the list
    /// of migration steps, which each database keeps for itself.
    static func all(of connection: any SQLConnection) throws(StoreError) -> [TableShape] {
        var waiting: [TableShape] = []
        let names = try connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        ).map { row throws(StoreError) in try row.text(0) }
        for name in names where name != "schema_step" {
            let columns = try connection.rows(
                "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", .text(name))
            let parents = try connection.rows(
                "SELECT \"table\" FROM pragma_foreign_key_list(?)", .text(name)
            ).map { row throws(StoreError) in try row.text(0) }
            let key = try columns.map { row throws(StoreError) in
                (name: try row.text(0), place: try row.integer(1))
            }.filter { $0.place > 0 }.sorted { $0.place < $1.place }
            guard !key.isEmpty else {
                throw StoreError(.corrupt, "the table \(name) has no primary key")
            }
            waiting.append(
                TableShape(
                    name: name,
                    columns: try columns.map { row throws(StoreError) in try row.text(0) },
                    key: key.map(\.name), parents: Set(parents).subtracting([name])))
        }
        var ordered: [TableShape] = []
        while !waiting.isEmpty {
            let done = Set(ordered.map(\.name))
            let ready = waiting.filter { $0.parents.isSubset(of: done) }
            guard !ready.isEmpty else {
                throw StoreError(.corrupt, "tables refer to each other in a circle")
            }
            ordered += ready
            waiting.removeAll { ready.contains($0) }
        }
        return ordered
    }
}
