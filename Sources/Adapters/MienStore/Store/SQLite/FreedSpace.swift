internal import GRDB

/// Gives space that erased data took up back to the disk, a little at a time. Without, a file stays
/// as large as it ever was, and who once filled it with pictures has filled the disk for good.
enum FreedSpace {
    /// Free pages that stay in the file, for the next writes: 4 MiB.
    private static let kept = 1024
    /// The pages that one turn gives back, so that writers wait for some milliseconds only.
    private static let turn = 1024

    /// Lets a new file give back space.
    static func prepare(_ database: Database) throws {
        guard !database.configuration.readonly, try number("page_count", database) == 0 else {
            return
        }
        try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    }

    /// - Returns: whether there is more to give back.
    static func giveBack(_ pool: DatabasePool) -> Bool {
        let isMore = try? pool.writeWithoutTransaction { database in
            guard try number("auto_vacuum", database) == 2 else { return false }
            let free = try number("freelist_count", database) - kept
            guard free > 0 else { return false }
            try database.execute(sql: "PRAGMA incremental_vacuum(\(min(free, turn)))")
            return free > turn
        }
        return isMore ?? false
    }

    private static func number(_ pragma: String, _ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
    }
}
