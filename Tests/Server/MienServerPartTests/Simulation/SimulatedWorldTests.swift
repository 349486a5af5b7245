import Foundation
import MienSimulation
import Synchronization
import Testing

@Suite struct SimulatedWorldTests {
    private final class Notes: Sendable {
        private let state = Mutex<[String]>([])
        func add(_ text: String) { state.withLock { $0.append(text) } }
        var all: [String] { state.withLock { $0 } }
    }

    /// The order in which three tasks run, each in three steps.
    private static func order(seed: UInt64) async -> [String] {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                let world = SimulatedWorld(seed: seed), notes = Notes()
                for task in 1...3 {
                    world.start {
                        for step in 1...3 {
                            await world.pause(0)
                            notes.add("\(task).\(step)")
                        }
                    }
                }
                world.run()
                continuation.resume(returning: notes.all)
            }
            thread.start()
        }
    }

    @Test func `the seed decides the order of tasks`() async {
        var orders: Set<[String]> = []
        for seed in 1...30 as ClosedRange<UInt64> {
            let order = await Self.order(seed: seed)
            #expect(await Self.order(seed: seed) == order)
            #expect(order.count == 9 && Set(order).count == 9)
            for task in 1...3 {
                #expect(
                    order.filter { $0.hasPrefix("\(task).") } == (1...3).map { "\(task).\($0)" })
            }
            orders.insert(order)
        }
        #expect(orders.count > 3)
    }

    @Test func `time passes only while all tasks wait, and at once`() async {
        let began = ContinuousClock.now
        let times = await withCheckedContinuation { continuation in
            let thread = Thread {
                let world = SimulatedWorld(seed: 1), notes = Notes()
                world.start {
                    await world.pause(3_600_000)
                    notes.add("\(world.now)")
                }
                world.start {
                    await world.pause(5)
                    notes.add("\(world.now)")
                }
                world.run()
                continuation.resume(returning: notes.all)
            }
            thread.start()
        }
        #expect(times == ["5", "3600000"])
        #expect(
            ContinuousClock.now - began < .seconds(3_600), "the hour of the simulation is none here"
        )
    }
}
