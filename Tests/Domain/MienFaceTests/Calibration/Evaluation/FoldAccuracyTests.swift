import MienCore
import MienFace
import Testing

@Suite struct FoldAccuracyTests {
    static func trials(_ mated: [Float], _ impostor: [Float]) -> [FoldAccuracy.Trial] {
        mated.map { .init(score: $0, isMated: true) }
            + impostor.map { .init(score: $0, isMated: false) }
    }

    @Test("separable kinds are classified perfectly")
    func apart() {
        let accuracy = FoldAccuracy(folds: [
            Self.trials([5, 6], [1, 2]), Self.trials([7, 5.5], [0, 2]),
        ])
        #expect(accuracy.perFold == [1, 1] && accuracy.mean == 1 && accuracy.standardError == 0)
        #expect(accuracy.thresholds == [3.75, 3.5])
    }

    @Test("the threshold comes from the other folds")
    func otherFolds() {
        // Fold 0 alone would choose a threshold between 1 and 2; the others choose 5.
        let accuracy = FoldAccuracy(folds: [
            Self.trials([2, 3], [0, 1]), Self.trials([6, 7], [4, 3]),
        ])
        #expect(accuracy.thresholds == [5, 1.5])
        #expect(accuracy.perFold == [0.5, 0.5])
    }

    @Test("no threshold does better than the chosen one", arguments: 0..<20)
    func best(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let fold = (0..<40).map { i in
            FoldAccuracy.Trial(
                score: Float((generator.normal() * 3).rounded() + (i < 20 ? 2 : 0)), isMated: i < 20
            )
        }
        let found = FoldAccuracy(folds: [fold])
        let possible = stride(from: -20.25, through: 20, by: 0.25).map { t in
            Double(fold.filter { (Double($0.score) >= t) == $0.isMated }.count) / 40
        }
        #expect(found.perFold == [possible.max()!])
    }

    @Test("the standard error is the one of the folds' mean")
    func standardError() {
        let accuracy = FoldAccuracy(folds: [
            Self.trials([1], [0]), Self.trials([1], [0]), Self.trials([1, 0], [0, 1]),
        ])
        #expect(accuracy.perFold == [1, 1, 0.5])
        #expect(abs(accuracy.standardError - 1.0 / 6) < 1e-12)
    }
}
