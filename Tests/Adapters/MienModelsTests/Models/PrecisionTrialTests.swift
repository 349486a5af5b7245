import Testing

@testable import MienModels

@Suite("Choice of the precision")
struct PrecisionTrialTests {
    /// Returns the choice between alternatives with these milliseconds, each run a little longer or
    /// shorter.
    private func faster(_ first: Int, _ second: Int, noise: [Int] = [0]) throws(InferenceError)
        -> Int
    {
        var runs = 0
        return try PrecisionTrial.faster { number throws(InferenceError) in
            runs += 1
            return .milliseconds((number == 0 ? first : second) + noise[runs % noise.count])
        }
    }

    @Test("the faster alternative is chosen, and the first one if there is no clear difference")
    func choice() throws {
        #expect(try faster(100, 60) == 1)
        #expect(try faster(60, 100) == 0)
        #expect(try faster(100, 100) == 0)
        #expect(try faster(100, 97) == 0)
        #expect(try faster(100, 94) == 1)
    }

    @Test("other work on the machine does not change the choice")
    func noise() throws {
        #expect(try faster(100, 60, noise: [0, 300, 10, 0, 5]) == 1)
        #expect(try faster(60, 100, noise: [300, 0, 10, 7, 0]) == 0)
    }

    @Test("the first run of each does not count")
    func first() throws {
        var runs = 0
        let choice = try PrecisionTrial.faster { number throws(InferenceError) in
            runs += 1
            return .milliseconds(runs <= 2 ? 1 : number == 0 ? 50 : 20)
        }
        #expect(choice == 1)
    }
}
