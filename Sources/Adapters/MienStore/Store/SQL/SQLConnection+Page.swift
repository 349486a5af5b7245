internal import MienCore

/// A list in the order of a time and the ID, which is read page by page.
///
/// An index on the columns that `filter` compares with constants, the time, and the ID finds the
/// start of each page and has its order, so that the last page takes as long as the first.
struct TimedList {
    let table: String
    /// The column of the time.
    let time: String
    /// A condition on every row, without the rows of other pages.
    var filter = "TRUE"
    var values: [SQLValue] = []
    var isNewestFirst = false
}

extension SQLConnection {
    /// Returns `count` rows of a list after the row whose ID is `last`.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists, so that the remaining rows do
    ///   not seem to be none. A row that left the list, but exists, still has its place.
    func page<Kind>(
        _ columns: String, of list: TimedList, after last: Identifier<Kind>?, count: Int
    ) throws(StoreError) -> [SQLRow] {
        let direction = list.isNewestFirst ? " DESC" : ""
        let order = "ORDER BY \(list.time)\(direction), id\(direction) LIMIT ?"
        let select = "SELECT \(columns) FROM \(list.table) WHERE \(list.filter)"
        guard let last else {
            return try rows("\(select) \(order)", list.values + [.integer(Int64(count))])
        }
        guard
            let start = try row("SELECT \(list.time) FROM \(list.table) WHERE id = ?", .id(last))
        else {
            throw StoreError(.stale, "the row that the page follows no longer exists")
        }
        // Constants, so that the index finds the start.
        return try rows(
            "\(select) AND (\(list.time), id) \(list.isNewestFirst ? "<" : ">") (?, ?) \(order)",
            list.values + [.time(try start.instant(0)), .id(last), .integer(Int64(count))])
    }
}
