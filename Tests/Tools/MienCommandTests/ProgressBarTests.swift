import Foundation
import MienTesting
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
        _ = try await Patience.holds { !screen.shown.isEmpty }
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
        _ = try await Patience.holds { !screen.shown.isEmpty }
        #expect(screen.shown.contains("1,234"))
        let shown = try await Patience.see {
            bar.update(2000, of: 4000)
            return screen.shown
        } until: {
            $0.contains("50 %")
        }
        #expect(shown.contains("50 %") && shown.contains("2,000 of 4,000"), "\(shown)")
    }

    @Test func `the bar is not shown without a terminal`() async throws {
        let screen = Screen(), bar = screen.bar("Thinking", total: 4, isShown: false)
        try await Task.sleep(for: .milliseconds(1200))
        bar.update(1)
        bar.finish()
        #expect(screen.shown.isEmpty)
    }
}
