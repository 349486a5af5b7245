/// The time since the process began to count, which goes on while the device sleeps and ignores
/// changes of its clock.
enum SteadyClock {
    private static let origin = ContinuousClock.now

    @Sendable static func elapsed() -> Duration { origin.duration(to: .now) }
}
