/// The results for one kind of write over all kills.
struct KillTally: Sendable {
    /// Writes that the server acknowledged.
    var acknowledged = 0
    /// Acknowledged writes that were checked after a restart.
    var checked = 0
    /// Writes in flight when the server was killed: completed, and not completed.
    var done = 0, notDone = 0
    /// Acknowledged writes that were missing afterward.
    var lost: [String] = []
    /// Writes that were only partly completed.
    var torn: [String] = []

    static func += (left: inout KillTally, right: KillTally) {
        left.acknowledged += right.acknowledged
        left.checked += right.checked
        left.done += right.done
        left.notDone += right.notDone
        left.lost += right.lost
        left.torn += right.torn
    }

    /// Formats a Markdown table with a row for each kind and a total.
    static func table(_ tallies: [String: KillTally]) -> String {
        func row(_ name: String, _ tally: KillTally) -> String {
            let numbers = [
                tally.acknowledged, tally.checked, tally.done + tally.notDone, tally.done,
                tally.notDone, tally.lost.count, tally.torn.count,
            ]
            return "| \(name) | \(numbers.map(String.init).joined(separator: " | ")) |"
        }
        let total = tallies.values.reduce(into: KillTally()) { $0 += $1 }
        let head = [
            "| write | acknowledged | checked after a restart | in flight at a kill | of these done | not done | lost | partial |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
        ]
        return
            (head + tallies.sorted { $0.key < $1.key }.map { row($0.key, $0.value) } + [
                row("**all**", total)
            ]).joined(separator: "\n")
    }
}
