import MienCore
import Synchronization
import Testing

@Suite struct JobLineTests {
    @Test func `jobs are taken in order of arrival, as many as requested`() throws {
        let line = JobLine<Int>()
        for job in 1...5 { try line.add(job) }
        #expect(line.next(atMost: 2) == [1, 2])
        try line.add(6)
        #expect(line.next(atMost: 10) == [3, 4, 5, 6])
    }

    @Test func `a full line refuses, and accepts again when a job was taken`() throws {
        let line = JobLine<Int>(maxWaiting: 2)
        try line.add(1)
        try line.add(2)
        #expect(throws: JobLine<Int>.Refusal.full) { try line.add(3) }
        #expect(line.next(atMost: 1) == [1])
        try line.add(4)
        #expect(line.next(atMost: 9) == [2, 4])
    }

    @Test func `after a stop, waiting jobs are taken and further ones refused`() throws {
        let line = JobLine<Int>()
        try line.add(1)
        line.stop()
        #expect(throws: JobLine<Int>.Refusal.stopped) { try line.add(2) }
        #expect(line.next(atMost: 9) == [1])
        #expect(line.next(atMost: 9) == nil)
        #expect(line.next(atMost: 9, until: .now + .seconds(60)) == nil)
    }

    @Test func `a deadline returns an empty list`() throws {
        let line = JobLine<Int>(), time = ContinuousClock.now + .milliseconds(20)
        #expect(line.next(atMost: 1, until: time) == [])
        #expect(ContinuousClock.now >= time)
        #expect(line.next(atMost: 1, until: .now - .seconds(1)) == [])
        try line.add(1)
        #expect(line.next(atMost: 1, until: .now - .seconds(1)) == [1])
    }

    @Test(arguments: [1, 7])
    func `jobs of many threads all reach the one that takes them`(count: Int) throws {
        let line = JobLine<Int>(), taken = Mutex<[Int]>([])
        let taker = WorkerThread.required(name: "mien.taker") {
            while let jobs = line.next(atMost: count) { taken.withLock { $0 += jobs } }
        }
        let givers = (0..<4).map { giver in
            WorkerThread.required(name: "mien.giver") {
                for job in 0..<1000 { try? line.add(giver * 1000 + job) }
            }
        }
        for giver in givers { giver.join() }
        line.stop()
        taker.join()
        let found = taken.withLock { $0 }
        #expect(found.count == 4000 && Set(found) == Set(0..<4000))
        for giver in 0..<4 {
            let own = found.filter { $0 / 1000 == giver }
            #expect(own == own.sorted(), "one thread's jobs stay in order")
        }
    }
}
