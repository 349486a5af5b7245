import Foundation
import MienFace
import MienTools

/// Counts of the presentation check's errors, per kind of clip and level of light.
struct PresentationReport {
    enum Kind: Hashable {
        case genuine, simulatedScreen, attack
        /// A photo animated by its depth: injected, or on simulated screens.
        case animated, animatedOnScreen, animatedOnVariedScreen, animatedOnLargeScreen
        /// People of one group, by the name in the file of groups.
        case group(String)

        var isAttack: Bool {
            switch self {
            case .genuine, .group: false
            case .attack, .simulatedScreen, .animated, .animatedOnScreen, .animatedOnVariedScreen,
                .animatedOnLargeScreen:
                true
            }
        }

        var words: String {
            switch self {
            case .genuine: "genuine"
            case .simulatedScreen: "the same on a simulated screen"
            case .attack: "attack"
            case .animated: "animated photo, injected"
            case .animatedOnScreen: "animated photo on a simulated device"
            case .animatedOnVariedScreen: "the same, devices that differ"
            case .animatedOnLargeScreen: "the same, screens that fill the view"
            case .group(let name): "genuine, group \(name)"
            }
        }
    }

    struct Row: Hashable {
        let kind: Kind
        let light: LightLevel
    }

    private var trials: [Row: [PresentationTrial]] = [:]
    private var rows: [Row] = []
    /// The limits of an attack's probability at the thresholds 0.5 and 0.7.
    private static let limits = [0.5, 0.3]

    mutating func add(_ trial: PresentationTrial, _ row: Row) {
        if trials[row] == nil { rows.append(row) }
        trials[row, default: []].append(trial)
    }

    /// A Markdown table. A frame or clip is wrong when a genuine one counts as an attack, or an
    /// attack as genuine.
    var table: String {
        let head = [
            "clips", "light", "frames with a face", "turned",
            "gate closed: context / confidence / light", "frames judged", "wrong at 0.5",
            "wrong at 0.7", "clips judged", "wrong at 0.5", "wrong at 0.7", "95 %, at 0.5",
        ]
        let lines = rows.map { row in
            let trials = trials[row] ?? [], judged = trials.flatMap(\.attacks),
                medians = trials.compactMap(\.median)
            func wrong(_ values: [Double], _ limit: Double) -> Int {
                values.count { ($0 > limit) != row.kind.isAttack }
            }
            func closed(_ gate: PresentationGate) -> Int {
                trials.reduce(0) { $0 + ($1.closed[gate] ?? 0) }
            }
            let errors = wrong(medians, Self.limits[0])
            let interval = Self.interval(errors, of: medians.count)
            let cells: [String] = [
                row.kind.words, row.light.rawValue, "\(trials.reduce(0) { $0 + $1.faces })",
                "\(trials.reduce(0) { $0 + $1.turned })",
                "\(closed(.context)) / \(closed(.confidence)) / \(closed(.light))",
                "\(judged.count)", "\(wrong(judged, Self.limits[0]))",
                "\(wrong(judged, Self.limits[1]))", "\(medians.count) of \(trials.count)",
                "\(errors)", "\(wrong(medians, Self.limits[1]))", interval,
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule = "|---|---|" + String(repeating: "--:|", count: head.count - 2)
        return (["| " + head.joined(separator: " | ") + " |", rule] + lines).joined(
            separator: "\n")
    }

    /// The exact interval of Clopper and Pearson for a rate, in percent.
    static func interval(_ count: Int, of total: Int) -> String {
        guard total > 0 else { return "–" }
        /// The probability of at most `k` of `total` at rate `p`.
        func atMost(_ k: Int, _ p: Double) -> Double {
            if k < 0 { return 0 }
            if k >= total || p <= 0 { return 1 }
            if p >= 1 { return 0 }
            var sum = 0.0
            for i in 0...k {
                let n = Double(total), i = Double(i)
                let ways = lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)
                sum += exp(ways + i * log(p) + (n - i) * log(1 - p))
            }
            return min(1, sum)
        }
        func rate(_ isBelow: (Double) -> Bool) -> Double {
            var low = 0.0, high = 1.0
            for _ in 0..<60 {
                let middle = (low + high) / 2
                if isBelow(middle) { low = middle } else { high = middle }
            }
            return low
        }
        let low = count == 0 ? 0 : rate { 1 - atMost(count - 1, $0) < 0.025 }
        let high = count == total ? 1 : rate { atMost(count, $0) > 0.025 }
        return "\(String.decimal(100 * low, 1))–\(String.decimal(100 * high, 1)) %"
    }
}

/// The groups that files belong to.
struct GroupFile {
    private let groups: [String: String]

    /// - Throws: ``Failure`` when the file is missing or a line has not two columns.
    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Failure(
                .badInput, "groups.unreadable",
                "\(path): the file cannot be read; name a CSV file with the columns file and group")
        }
        var groups: [String: String] = [:]
        for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 2, cells.allSatisfy({ !$0.isEmpty }) else {
                throw Failure(
                    .badInput, "groups.line",
                    "\(path), line \(index + 1): expected a file and a group, separated by a comma")
            }
            if cells != ["file", "group"] { groups[cells[0]] = cells[1] }
        }
        self.groups = groups
    }

    func group(of file: String) -> String? { groups[file] }
}
