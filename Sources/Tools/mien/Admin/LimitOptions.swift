import ArgumentParser
import MienAPI
import MienCommandSupport

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

    func tell(next: String?) {
        if let next { Terminal.warn("There are more. Continue with --after \(next)") }
    }
}
