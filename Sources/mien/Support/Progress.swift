import Foundation

/// A progress bar on standard error for work that takes longer than a second; silent when that is not a terminal.
final class Progress {
    private let title: String
    private let total: Int
    private let started = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private let isShown: Bool

    init(_ title: String, total: Int, isShown: Bool = Terminal.errorIsTerminal) {
        self.title = title
        self.total = max(total, 1)
        self.isShown = isShown
    }

    /// Call often; draws at most ten times a second, and not in the first second.
    func update(_ done: Int) {
        let now = ContinuousClock.now
        guard isShown, now - started > .seconds(1), lastDrawn.map({ now - $0 > .milliseconds(100) }) ?? true else { return }
        lastDrawn = now
        let part = min(1, Double(done) / Double(total)), width = 28, filled = Int(part * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let left = part > 0.01 ? (now - started) / .seconds(1) * (1 - part) / part : 0
        let rest = left >= 1 ? "  \(Self.words(Int(left))) left" : ""
        write("\r\(title) \(bar) \(Int(part * 100)) %  \(done.grouped) of \(total.grouped)\(rest)\u{1B}[K")
    }

    /// Takes the bar off the screen.
    func finish() {
        guard lastDrawn != nil else { return }
        write("\r\u{1B}[K")
        lastDrawn = nil
    }

    deinit { finish() }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    private static func words(_ seconds: Int) -> String { seconds < 90 ? "\(seconds) s" : "\((seconds + 30) / 60) min" }
}
