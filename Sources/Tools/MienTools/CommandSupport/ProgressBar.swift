internal import Foundation
internal import Synchronization

/// A progress bar on standard error for work that takes longer than a second. It shows nothing if
/// standard error is not a terminal.
///
/// The bar also moves without updates, so that one long step does not look stuck. May be used from
/// any thread.
public final class ProgressBar: Sendable {
    private struct State {
        var done = 0, total: Int?
        var lastDrawn: ContinuousClock.Instant?
        var hasEnded = false
    }

    private let title: String
    private let started = ContinuousClock.now
    private let isShown: Bool
    private let state: Mutex<State>
    private let write: @Sendable (String) -> Void

    /// - Parameter total: the final count of ``update(_:of:)``; `nil` if unknown.
    public convenience init(_ title: String, total: Int?) {
        self.init(title, total: total, isShown: Terminal.errorIsTerminal) {
            FileHandle.standardError.write(Data($0.utf8))
        }
    }

    /// - Parameter write: prints the bar; tests record what it gets.
    init(
        _ title: String, total: Int?, isShown: Bool, write: @escaping @Sendable (String) -> Void
    ) {
        (self.title, self.isShown, self.write) = (title, isShown, write)
        state = Mutex(State(total: total.map { max($0, 1) }))
        if isShown { tick() }
    }

    /// Updates the count. Call it often: it draws at most ten times a second, and not during the
    /// first second.
    public func update(_ done: Int, of total: Int? = nil) {
        state.withLock { state in
            state.done = done
            state.total = total ?? state.total
            draw(&state)
        }
    }

    /// Removes the bar from the screen permanently.
    public func finish() {
        state.withLock { state in
            state.hasEnded = true
            if state.lastDrawn != nil { write("\r\u{1B}[K") }
            state.lastDrawn = nil
        }
    }

    deinit { finish() }

    private func tick() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { [weak self] in
            guard let self,
                !(state.withLock { state in
                    draw(&state)
                    return state.hasEnded
                })
            else { return }
            tick()
        }
    }

    private func draw(_ state: inout State) {
        let now = ContinuousClock.now
        guard isShown, !state.hasEnded, now - started > .seconds(1),
            state.lastDrawn.map({ now - $0 > .milliseconds(100) }) ?? true
        else { return }
        state.lastDrawn = now
        let took = (now - started) / .seconds(1)
        guard let total = state.total else {
            return write("\r\(title) …  \(state.done.grouped)  \(Self.words(Int(took)))\u{1B}[K")
        }
        let part = min(1, Double(state.done) / Double(total)), width = 28,
            filled = Int(part * Double(width))
        let bar =
            String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let left = part > 0.01 ? took * (1 - part) / part : 0
        let rest = left >= 1 ? "  \(Self.words(Int(left))) left" : ""
        write(
            "\r\(title) \(bar) \(Int(part * 100)) %  \(state.done.grouped) of \(total.grouped)\(rest)\u{1B}[K"
        )
    }

    private static func words(_ seconds: Int) -> String {
        seconds < 90 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
    }
}
