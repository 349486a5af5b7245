internal import Foundation
public import MienCore

/// A probability density: a weighted sum of normal distributions with full covariances.
///
/// Fitted to one descriptor of each of many people, it describes the distribution of faces without
/// containing any of them. It is used to draw a `Cohort` and then discarded; it is never stored.
public struct GaussianMixture: Sendable {
    struct Component: Sendable {
        /// The component's share of the whole, 0…1. All weights sum to 1.
        var weight: Double
        var mean: [LowerTriangle.Block]
        /// L, with L·Lᵀ the covariance.
        let factor: LowerTriangle
        /// L⁻¹.
        let inverse: LowerTriangle
        /// log of the density's constant factor: −½·d·log 2π − log|L|.
        let logScale: Double

        init(weight: Double, mean: [LowerTriangle.Block], factor: LowerTriangle) {
            (self.weight, self.mean, self.factor, inverse) = (weight, mean, factor, factor.inverse)
            logScale =
                -0.5 * Double(factor.order) * log(2 * Double.pi) - factor.logDiagonal { log($0) }
        }

        func logDensity(at x: [LowerTriangle.Block], scratch: inout [LowerTriangle.Block]) -> Double
        {
            for i in x.indices { scratch[i] = x[i] - mean[i] }
            return logScale - 0.5 * inverse.squaredLength(ofProductWith: scratch)
        }

        /// Calls `body` with the index and the logarithm of the density of the points `chosen`.
        func forEachLogDensity(
            at points: [[LowerTriangle.Block]], _ chosen: [Int], _ body: (Int, Double) -> Void
        ) {
            var first = mean, second = mean
            var n = 0
            while n + 1 < chosen.count {
                let (i, j) = (chosen[n], chosen[n + 1])
                for k in mean.indices {
                    first[k] = points[i][k] - mean[k]
                    second[k] = points[j][k] - mean[k]
                }
                let lengths = inverse.squaredLengths(ofProductsWith: first, second)
                body(i, logScale - 0.5 * lengths.0)
                body(j, logScale - 0.5 * lengths.1)
                n += 2
            }
            if let i = chosen.dropFirst(n).first {
                body(i, logDensity(at: points[i], scratch: &first))
            }
        }

        /// Returns whether the logarithm of the density at `x` is quickly seen to be below `limit`.
        func isBelow(
            _ limit: Double, at x: [LowerTriangle.Block], scratch: inout [LowerTriangle.Block]
        ) -> Bool {
            for i in x.indices { scratch[i] = x[i] - mean[i] }
            return inverse.lastRowsExceed(2 * (logScale - limit), inProductWith: scratch)
        }
    }

    public let dimension: Int
    let components: [Component]

    /// The mixture of mixtures of equal weight.
    /// - Precondition: There is at least one, and all have the same dimension.
    init(equally mixtures: [GaussianMixture]) {
        precondition(
            !mixtures.isEmpty && mixtures.allSatisfy { $0.dimension == mixtures[0].dimension })
        dimension = mixtures[0].dimension
        let share = 1 / Double(mixtures.count)
        components = mixtures.flatMap(\.components).map {
            Component(weight: share * $0.weight, mean: $0.mean, factor: $0.factor)
        }
    }

    public var componentCount: Int { components.count }
    /// The components' weights, which sum to 1.
    public var weights: [Double] { components.map(\.weight) }

    /// - Returns: The mean of component `index`.
    public func mean(of index: Int) -> [Double] {
        (0..<dimension).map { components[index].mean[$0 / 8][$0 % 8] }
    }

    /// - Returns: The covariance of component `index`, row by row.
    public func covariance(of index: Int) -> [[Double]] {
        let factor = components[index].factor
        return (0..<dimension).map { row in
            (0..<dimension).map { column in
                (0...min(row, column)).reduce(0) { $0 + factor[row, $1] * factor[column, $1] }
            }
        }
    }

    /// Returns the natural logarithm of the density at `x`.
    /// - Precondition: `x` has ``dimension`` elements.
    public func logDensity(at x: [Double]) -> Double {
        precondition(x.count == dimension)
        let packed = LowerTriangle.packed(x)
        var scratch = packed
        return Self.logSumExp(
            components.map { log($0.weight) + $0.logDensity(at: packed, scratch: &scratch) })
    }

    /// Draws one point.
    public func sample(using generator: inout SeededGenerator) -> [Double] {
        var left = generator.uniform(), chosen = 0
        while chosen < components.count - 1, left >= components[chosen].weight {
            left -= components[chosen].weight
            chosen += 1
        }
        let noise = LowerTriangle.packed((0..<dimension).map { _ in generator.normal() })
        let spread = components[chosen].factor.product(with: noise)
        return (0..<dimension).map { spread[$0] + components[chosen].mean[$0 / 8][$0 % 8] }
    }

    static func logSumExp(_ terms: [Double]) -> Double {
        let largest = terms.max() ?? -.infinity
        guard largest.isFinite else { return largest }
        return largest + log(terms.reduce(0) { $0 + exp($1 - largest) })
    }
}
