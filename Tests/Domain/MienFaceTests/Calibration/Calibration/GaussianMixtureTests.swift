import Foundation
import MienCore
import MienFace
import Testing

@Suite struct GaussianMixtureTests {
    /// 40 points around the origin, 20 around (3, −1).
    static let twoClusters: [[Float]] = (0..<60).map { i in
        let t = Double(i)
        if i % 3 == 0 {
            return [
                Float(3 + 0.5 * sin(1.7 * t)), Float(-1 + 0.3 * cos(2.3 * t) + 0.2 * sin(1.7 * t)),
            ]
        }
        return [Float(0.8 * sin(0.9 * t)), Float(0.6 * cos(1.3 * t))]
    }

    static func fitting(_ components: Int, minPeople: Int = 5) -> GaussianMixture.Fitting {
        var fitting = GaussianMixture.Fitting()
        (fitting.components, fitting.regularization, fitting.minPeople) = (
            components, 1e-4, minPeople
        )
        fitting.tolerance = 1e-9
        fitting.maxRounds = 1000
        return fitting
    }

    @Test("a single component has the mean and covariance of the points")
    func oneComponent() throws {
        var generator = SeededGenerator(seed: 1)
        let points: [[Float]] = [[0, 0], [2, 0], [0, 4], [2, 4], [1, 2]]
        let mixture = try GaussianMixture.fit(points, Self.fitting(1), using: &generator)
        #expect(mixture.mean(of: 0) == [1, 2])
        let covariance = mixture.covariance(of: 0)
        #expect(
            abs(covariance[0][0] - 0.8001) < 1e-9 && abs(covariance[1][1] - 3.2001) < 1e-9
                && abs(covariance[0][1]) < 1e-9)
        // The density at the mean: 1 / (2π·√det).
        #expect(
            abs(mixture.logDensity(at: [1, 2]) + log(2 * Double.pi) + 0.5 * log(0.8001 * 3.2001))
                < 1e-9)
    }

    /// scikit-learn 1.x, GaussianMixture(2, reg_covar=1e-4, tol=1e-9) on the same points.
    @Test("two components match those of scikit-learn")
    func knownAnswer() throws {
        var generator = SeededGenerator(seed: 1)
        var last = GaussianMixture.Progress?.none
        let mixture = try GaussianMixture.fit(Self.twoClusters, Self.fitting(2), using: &generator)
        { last = $0 }
        let large = mixture.weights[0] > 0.5 ? 0 : 1
        #expect(abs(mixture.weights[large] - 0.666666995909566) < 1e-5)
        let expected = [
            [0.03376485392205901, 0.00660640486435042], [2.9708501222017034, -1.016831414747614],
        ]
        for (k, mean) in zip([large, 1 - large], expected) {
            #expect(zip(mixture.mean(of: k), mean).allSatisfy { abs($0 - $1) < 1e-5 })
        }
        let covariance = mixture.covariance(of: 1 - large)
        #expect(
            abs(covariance[0][0] - 0.1183225757068963) < 1e-5
                && abs(covariance[1][0] - 0.0374836405058077) < 1e-5)
        #expect(abs(mixture.logDensity(at: [1, 0]) + 2.31666701) < 1e-5)
        #expect(abs((last?.meanLogDensity ?? 0) + 1.6347695376820213) < 1e-6)
    }

    /// 20 dimensions take three blocks of eight. Gaussian elimination on the covariance verifies
    /// the density.
    @Test("dimensions that exceed one block give the right density")
    func manyDimensions() throws {
        let n = 20
        var generator = SeededGenerator(seed: 12)
        let points = (0..<100).map { _ -> [Float] in
            let common = generator.normal()
            return (0..<n).map { Float(generator.normal() + Double($0) / 10 * common) }
        }
        let mixture = try GaussianMixture.fit(points, Self.fitting(1), using: &generator)
        let mean = (0..<n).map { i in points.reduce(0) { $0 + Double($1[i]) } / 100 }
        let covariance = mixture.covariance(of: 0)
        for a in 0..<n {
            #expect(abs(mixture.mean(of: 0)[a] - mean[a]) < 1e-9)
            for b in 0..<n {
                let plain =
                    points.reduce(0) { $0 + (Double($1[a]) - mean[a]) * (Double($1[b]) - mean[b]) }
                    / 100
                #expect(abs(covariance[a][b] - plain - (a == b ? 1e-4 : 0)) < 1e-9)
            }
        }
        let x = (0..<n).map { mean[$0] + 0.3 * Double($0 % 3) }
        var rows = covariance, right = (0..<n).map { x[$0] - mean[$0] }, logDeterminant = 0.0
        for i in 0..<n {
            logDeterminant += log(rows[i][i])
            for j in i + 1..<n {
                let factor = rows[j][i] / rows[i][i]
                for k in i..<n { rows[j][k] -= factor * rows[i][k] }
                right[j] -= factor * right[i]
            }
        }
        var solved = right
        for i in (0..<n).reversed() {
            solved[i] =
                (right[i] - (i + 1..<n).reduce(0) { $0 + rows[i][$1] * solved[$1] }) / rows[i][i]
        }
        let square = (0..<n).reduce(0) { $0 + (x[$1] - mean[$1]) * solved[$1] }
        #expect(
            abs(
                mixture.logDensity(at: x) + 0.5
                    * (Double(n) * log(2 * Double.pi) + logDeterminant + square)) < 1e-6)
    }

    @Test("no round lowers the likelihood")
    func rises() throws {
        var generator = SeededGenerator(seed: 3), densities: [Double] = []
        _ = try GaussianMixture.fit(
            Self.twoClusters, Self.fitting(3, minPeople: 1), using: &generator
        ) { densities.append($0.meanLogDensity) }
        // Regularization is not part of the likelihood, so allow a small tolerance.
        #expect(zip(densities, densities.dropFirst()).allSatisfy { $1 >= $0 - 1e-4 })
    }

    @Test("a component with too few people is dropped", arguments: [2, 5, 9])
    func smallComponents(components: Int) throws {
        var generator = SeededGenerator(seed: 2)
        let mixture = try GaussianMixture.fit(
            Self.twoClusters, Self.fitting(components, minPeople: 25), using: &generator)
        #expect(mixture.componentCount == 1)
        var again = SeededGenerator(seed: 2)
        let allowed = try GaussianMixture.fit(
            Self.twoClusters, Self.fitting(components, minPeople: 15), using: &again)
        #expect(allowed.weights.allSatisfy { $0 * 60 >= 14.99 })
        #expect(abs(allowed.weights.reduce(0, +) - 1) < 1e-9)
    }

    @Test("too few people for one component are rejected")
    func tooFew() {
        var generator = SeededGenerator(seed: 2)
        #expect(throws: CalibrationError.self) {
            try GaussianMixture.fit(
                Array(Self.twoClusters.prefix(19)), GaussianMixture.Fitting(), using: &generator)
        }
    }

    @Test("samples have the mixture's mean and covariance")
    func samples() throws {
        var generator = SeededGenerator(seed: 5)
        let mixture = try GaussianMixture.fit(
            [[0, 0], [2, 0], [0, 4], [2, 5], [1, 2], [1, 1]], Self.fitting(1), using: &generator)
        let n = 5000, drawn = (0..<n).map { _ in mixture.sample(using: &generator) }
        let mean = mixture.mean(of: 0), covariance = mixture.covariance(of: 0)
        for a in 0..<2 {
            #expect(abs(drawn.reduce(0) { $0 + $1[a] } / Double(n) - mean[a]) < 0.1)
            for b in 0..<2 {
                let found =
                    drawn.reduce(0) { $0 + ($1[a] - mean[a]) * ($1[b] - mean[b]) } / Double(n)
                #expect(abs(found - covariance[a][b]) < 0.25)
            }
        }
    }

    @Test("a fit stops when progress throws")
    func stops() {
        struct Stop: Error {}
        var generator = SeededGenerator(seed: 5), rounds = 0
        #expect(throws: Stop.self) {
            try GaussianMixture.fit(Self.twoClusters, Self.fitting(2), using: &generator) { _ in
                rounds += 1
                if rounds == 2 { throw Stop() }
            }
        }
        #expect(rounds == 2)
    }
}
