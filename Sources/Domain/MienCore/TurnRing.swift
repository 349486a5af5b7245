/// Contents that take turns: each turn goes to the key that has waited longest for one. Keys
/// without content are forgotten.
struct TurnRing<Content> {
    /// The next turn's key first.
    private var keys: [String] = []
    private var contents: [String: Content] = [:]

    var isEmpty: Bool { keys.isEmpty }
    var values: some Collection<(key: String, value: Content)> {
        contents.lazy.map { ($0.key, $0.value) }
    }

    subscript(key: String) -> Content? { contents[key] }

    /// Changes the content of `key`. A new key takes its first turn after all others.
    mutating func update<Output>(_ key: String, _ body: (inout Content?) -> Output) -> Output {
        let isNew = contents[key] == nil
        let output = body(&contents[key])
        if contents[key] == nil {
            if !isNew { keys.removeAll { $0 == key } }
        } else if isNew {
            keys.append(key)
        }
        return output
    }

    /// Gives the next turn, after which its key waits for all others. Call it only when there is a
    /// key.
    mutating func takeTurn<Output>(_ body: (inout Content?) -> Output) -> Output {
        let key = keys.removeFirst()
        let output = body(&contents[key])
        if contents[key] != nil { keys.append(key) }
        return output
    }
}
