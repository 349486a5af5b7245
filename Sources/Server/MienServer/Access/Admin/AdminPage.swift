package import Hummingbird
package import MienAPI
package import MienCore
package import MienStore

/// One page of a list of the admin API, which `after` continues.
package struct AdminPage<Kind: IdentifierKind>: Sendable {
    /// The number of items on one page.
    package static var size: Int { AdminRecords.pageSize }

    /// The last record of the page before; `nil` on the first page.
    package let after: Identifier<Kind>?

    /// The number of records to read: an item more than fits shows that another page follows.
    package var count: Int { Self.size + 1 }

    /// - Throws: ``Problem`` that names the parameter.
    package init(_ request: Request) throws {
        after = try request.uri.queryParameters["after"].map {
            try Identifier<Kind>(String($0), field: "after")
        }
    }

    /// Returns the answer with the records that fit.
    package func answer<Record, Item>(
        _ records: [Record], id: (Record) -> Identifier<Kind>,
        _ item: (Record) throws -> Item
    ) rethrows -> Page<Item> {
        let shown = records.prefix(Self.size)
        return Page(
            items: try shown.map(item),
            next: records.count > Self.size ? shown.last.map { id($0).text } : nil)
    }

    /// Reads the page.
    ///
    /// - Throws: ``Problem`` `.conflict` if the record that the page follows was deleted.
    package func read<Record: Sendable>(
        from store: Store,
        _ body: @escaping @Sendable (Tables, Identifier<Kind>?, Int) throws -> [Record]
    ) async throws -> [Record] {
        let (after, count) = (after, count)
        return try await Self.known { try await store.read { try body($0, after, count) } }
    }

    /// Says what happened to a page whose start is gone.
    package static func known<Output>(_ body: () async throws -> Output) async throws -> Output {
        do { return try await body() } catch let error as StoreError where error.code == .stale {
            throw Problem(
                .conflict,
                "The item that this page follows was deleted. Read the list from its first page.")
        }
    }
}
