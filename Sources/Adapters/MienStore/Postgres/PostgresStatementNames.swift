/// The names of a connection's prepared statements. The one used longest ago makes room, except for
/// commands: removing a statement takes a snapshot, which must not come before a transaction begins.
struct PostgresStatementNames {
    struct Key: Hashable {
        let id: Int
        let types: [UInt32]
    }

    struct Entry {
        let key: Key
        let name: String
    }

    /// A prepared statement takes some ten kilobytes of the server's memory.
    private static let max = 400
    private var names: [Key: (name: String, usedAt: Int)] = [:]
    private var commands: [String: String] = [:]
    private var time = 0, made = 0

    /// Returns the name of a prepared statement.
    mutating func name(of query: PostgresQuery) -> String? {
        if query.isCommand { return commands[query.statement.text] }
        guard let name = names[key(query)]?.name else { return nil }
        time += 1
        names[key(query)]?.usedAt = time
        return name
    }

    /// - Returns: a new name, and the statement that it replaces.
    mutating func add(_ query: PostgresQuery) -> (name: String, old: Entry?) {
        made += 1
        let name = "m\(made)"
        if query.isCommand {
            commands[query.statement.text] = name
            return (name, nil)
        }
        var old: Entry?
        if names.count >= Self.max,
            let oldest = names.min(by: { $0.value.usedAt < $1.value.usedAt })
        {
            old = Entry(key: oldest.key, name: oldest.value.name)
            names[oldest.key] = nil
        }
        time += 1
        names[key(query)] = (name, time)
        return (name, old)
    }

    mutating func forget(_ query: PostgresQuery) {
        if query.isCommand {
            commands[query.statement.text] = nil
        } else {
            names[key(query)] = nil
        }
    }

    /// Takes a statement back that was to be removed. It is the next one to make room.
    mutating func restore(_ statement: Entry) { names[statement.key] = (statement.name, 0) }

    private func key(_ query: PostgresQuery) -> Key {
        Key(id: query.statement.id, types: query.types)
    }
}
