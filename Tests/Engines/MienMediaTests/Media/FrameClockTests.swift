import SystemAV
import Testing

@testable import MienMedia

@Suite struct FrameClockTests {
    private func clock(_ rate: Double = 10) -> FrameClock {
        FrameClock(base: AVRational(num: 1, den: 1000), framesPerSecond: rate)
    }

    @Test func `times start at zero and follow the stamps`() {
        let clock = clock()
        #expect(clock.time(of: 5000, after: nil) == .zero)
        #expect(clock.time(of: 5040, after: .zero) == .milliseconds(40))
        #expect(clock.time(of: 9000, after: .milliseconds(40)) == .seconds(4))
    }

    @Test func `times increase for any timestamps`() {
        let clock = clock()
        _ = clock.time(of: 5000, after: nil)
        for stamp in [5000, 4000, 0, -1, .min + 1, .max] {
            #expect(clock.time(of: Int64(stamp), after: .seconds(1)) > .seconds(1))
        }
    }

    @Test func `a frame without a timestamp comes one step after the previous one`() {
        let clock = clock()
        _ = clock.time(of: 5000, after: nil)
        #expect(clock.time(of: .min, after: .seconds(2)) == .milliseconds(2100))
        let unstamped = self.clock(0)
        #expect(unstamped.time(of: .min, after: nil) == .zero)
        #expect(unstamped.time(of: 7, after: .zero) == .seconds(1) / 30.0)
    }
}
