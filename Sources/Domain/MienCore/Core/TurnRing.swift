/// A collection whose keys take turns: each turn goes to the key that has waited longest. Keys
/// without content are removed.
struct TurnRing<Content> {
    /// The key of the next turn comes first.
    private var keys: [String] = []
    private var contents: [String: Content] = [:]

    var isEmpty: Bool { keys.isEmpty }
    var values: some Collection<(key: String, value: Content)> {
        contents.lazy.map { ($0.key, $0.value) }
    }

    subscript(key: String) -> Content? { contents[key] }

    /// Updates the content of `key`. A new key takes its first turn after all others.
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

    /// Takes the next turn and moves its key to the end. Call it only if the ring is not empty.
    mutating func takeTurn<Output>(_ body: (inout Content?) -> Output) -> Output {
        let key = keys.removeFirst()
        let output = body(&contents[key])
        if contents[key] != nil { keys.append(key) }
        return output
    }
}
