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

    /// Shows the open cases of a queue, from one `--after` another.
    ///
    /// - Parameters:
    ///   - heading: The columns.
    ///   - row: The cells of a case.
    func showCases<Case: Encodable>(
        after: String?, _ output: OutputOptions, id: (Case) -> String, heading: [String],
        row: (Case) -> [String], _ page: (_ after: String?) async throws -> Page<Case>
    ) async throws {
        let found = try await collect(after: after, key: id, page)
        guard !output.json else {
            return JSON.print(CaseList(cases: found.items, next: found.next))
        }
        if found.items.isEmpty {
            print("No case waits for a decision\(after == nil ? "" : " after that one").")
        } else {
            print(Terminal.table(found.items.map(row), heading: heading))
        }
        tell(next: found.next)
    }

    private struct CaseList<Case: Encodable>: Encodable {
        let cases: [Case]
        let next: String?
    }

    func tell(next: String?) {
        if let next { Terminal.warn("There are more. Continue with --after \(next)") }
    }
}
