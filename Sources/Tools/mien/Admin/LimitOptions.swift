import ArgumentParser
import MienAPI
import MienTools

/// The maximum length of a list.
struct LimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Show at most this many, 1 to 100000.", valueName: "n")) var limit =
        100

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("--limit must be 1 to 100000, not \(limit)")
        }
    }

    /// Fetches page after page until the limit is reached or there are no more items.
    ///
    /// - Parameter key: returns the value of `after` that continues after an item.
    func collect<Item>(
        after: String?, key: (Item) -> String, _ page: (_ after: String?) async throws -> Page<Item>
    ) async throws -> Page<Item> {
        var items: [Item] = [], next = after
        repeat {
            let found = try await page(next)
            items += found.items
            next = found.next
        } while next != nil && items.count < limit
        return items.count > limit
            ? Page(items: Array(items.prefix(limit)), next: key(items[limit - 1]))
            : Page(items: items, next: next)
    }

    /// Fetches and shows a list, from one `--after` another.
    ///
    /// - Parameters:
    ///   - name: What the list is called in JSON.
    ///   - none: What to say if it is empty.
    ///   - id: Returns the value of `after` that continues after an item.
    ///   - heading: The columns.
    ///   - row: The cells of an item.
    func show<Item: Encodable>(
        _ name: String, after: String?, _ output: OutputOptions, none: String,
        id: (Item) -> String, heading: [String], rightAligned: Set<Int> = [],
        row: (Item) -> [String], _ page: (_ after: String?) async throws -> Page<Item>
    ) async throws {
        let found = try await collect(after: after, key: id, page)
        guard !output.json else {
            return JSON.print(ItemList(name: name, items: found.items, next: found.next))
        }
        if found.items.isEmpty {
            print(none)
        } else {
            print(
                Terminal.table(
                    found.items.map(row), heading: heading, rightAligned: rightAligned))
        }
        if let next = found.next { Terminal.warn("There are more. Continue with --after \(next)") }
    }
}

/// A list under its name, and what continues after it.
private struct ItemList<Item: Encodable>: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let name: String
    let items: [Item]
    let next: String?

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(items, forKey: Key(stringValue: name))
        try members.encodeIfPresent(next, forKey: Key(stringValue: "next"))
    }
}
