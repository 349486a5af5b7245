import Foundation
import Synchronization
import Testing

@testable import MienTools

/// The progress bar of long work.
@Suite struct ProgressBarTests {
    /// The output so far.
    private final class Screen: Sendable {
        let text = Mutex("")
        var shown: String { text.withLock { $0 } }
        func bar(_ title: String, total: Int?, isShown: Bool = true) -> ProgressBar {
            ProgressBar(title, total: total, isShown: isShown) { part in
                self.text.withLock { $0 += part }
            }
        }
    }

    @Test func `a long step shows a bar without updates, which is removed at the end`()
        async throws
    {
        let screen = Screen(), bar = screen.bar("Thinking", total: 4)
        bar.update(1)
        #expect(screen.shown.isEmpty, "the bar was shown in the first second")
        for _ in 0..<100 where screen.shown.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(screen.shown.contains("Thinking") && screen.shown.contains("1 of 4"))
        bar.finish()
        #expect(screen.shown.hasSuffix("\r\u{1B}[K"))
        let end = screen.shown
        bar.update(2)
        try await Task.sleep(for: .milliseconds(700))
        #expect(screen.shown == end, "the bar came back")
    }

    @Test func `without a total, the bar counts, and later uses a total`() async throws {
        let screen = Screen(), bar = screen.bar("Fetching", total: nil)
        bar.update(1234)
        for _ in 0..<100 where screen.shown.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(screen.shown.contains("1,234"))
        for _ in 0..<100 where !screen.shown.contains("50 %") {
            try await Task.sleep(for: .milliseconds(100))
            bar.update(2000, of: 4000)
        }
        #expect(screen.shown.contains("50 %") && screen.shown.contains("2,000 of 4,000"))
    }

    @Test func `the bar is not shown without a terminal`() async throws {
        let screen = Screen(), bar = screen.bar("Thinking", total: 4, isShown: false)
        try await Task.sleep(for: .milliseconds(1200))
        bar.update(1)
        bar.finish()
        #expect(screen.shown.isEmpty)
    }
}
