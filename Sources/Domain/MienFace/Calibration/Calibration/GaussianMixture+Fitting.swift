internal import Foundation
public import MienCore

extension GaussianMixture {
    /// Settings for fitting. The defaults are those measured in
    /// `docs/measurements/score-normalization.md`.
    public struct Fitting: Sendable, Equatable {
        /// The maximum number of components. There are fewer if some would describe fewer than
        /// ``minPeople``.
        public var components = 24
        /// Added to the covariances' diagonals, in squared units of the descriptor.
        public var regularization = 3e-4
        /// Fitting ends when the mean log-density increases by less than this.
        public var tolerance = 1e-3
        public var maxRounds = 100
        /// The minimum number of people per component, so that none is a portrait of one or a few.
        public var minPeople = 20

        public init() {}
    }

    /// The progress of a fit.
    public struct Progress: Sendable, Equatable {
        public let round: Int
        /// Natural logarithm, averaged over the points.
        public let meanLogDensity: Double
        public let components: Int
    }

    /// Fits a mixture by expectation–maximization, starting from k-means with spread-out initial
    /// centers.
    ///
    /// - Parameters:
    ///   - points: One descriptor per person, of equal dimension.
    ///   - fitting: The number of components and the stopping rule.
    ///   - generator: Draws the initial centers.
    ///   - progress: Called after each round. Throw an error to stop, for example on cancellation.
    /// - Throws: `CalibrationError.tooFew` with fewer points than `minPeople`, or the error
    ///   that `progress` throws.
    public static func fit(
        _ points: [[Float]], _ fitting: Fitting = Fitting(), using generator: inout SeededGenerator,
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> GaussianMixture {
        guard points.count >= max(fitting.minPeople, 2), let dimension = points.first?.count,
            dimension > 0
        else {
            throw CalibrationError.tooFew(
                "there are \(points.count) people; fitting needs at least \(max(fitting.minPeople, 2))"
            )
        }
        precondition(points.allSatisfy { $0.count == dimension } && fitting.components > 0)
        let packed = points.map { LowerTriangle.packed($0.lazy.map(Double.init)) }
        let clusters = KMeans.assign(
            packed, clusters: min(fitting.components, points.count), using: &generator)
        var shares = Responsibilities(hard: clusters)
        var mixture: GaussianMixture, last = -Double.infinity
        var round = 0
        repeat {
            mixture = try GaussianMixture(packed, dimension: dimension, shares: &shares, fitting)
            let density = mixture.expect(packed, into: &shares)
            round += 1
            try progress(
                Progress(round: round, meanLogDensity: density, components: mixture.componentCount))
            // A round that drops a component may lower the density. It does not end the fit.
            let gain = density - last
            last = density
            if gain >= 0 && gain < fitting.tolerance && !shares.hasSmall(under: fitting.minPeople) {
                break
            }
        } while round < fitting.maxRounds
        while shares.hasSmall(under: fitting.minPeople) && mixture.componentCount > 1 {
            mixture = try GaussianMixture(packed, dimension: dimension, shares: &shares, fitting)
            _ = mixture.expect(packed, into: &shares)
        }
        return mixture
    }

    /// Maximization step: finds the components that best fit the shares.
    private init(
        _ points: [[LowerTriangle.Block]], dimension: Int, shares: inout Responsibilities,
        _ fitting: Fitting
    ) throws {
        shares.dropSmall(under: fitting.minPeople)
        self.dimension = dimension
        components = try (0..<shares.componentCount).map { k in
            let mass = shares.mass(of: k)
            var mean = [LowerTriangle.Block](repeating: .zero, count: points[0].count)
            shares.forEach(of: k) { point, share in
                for i in mean.indices { mean[i] += share / mass * points[point][i] }
            }
            var covariance = LowerTriangle(order: dimension), difference = mean
            shares.forEach(of: k) { point, share in
                for i in mean.indices { difference[i] = points[point][i] - mean[i] }
                covariance.addOuterProduct(of: difference, weight: share / mass)
            }
            for i in 0..<dimension { covariance[i, i] += fitting.regularization }
            guard let factor = covariance.cholesky else {
                throw CalibrationError.tooFew(
                    "\(Int(mass.rounded())) people are too few, or too alike, for \(dimension) dimensions"
                )
            }
            return Component(weight: mass / Double(points.count), mean: mean, factor: factor)
        }
    }

    /// A component whose log-density is lower than another's by this is left out. Its share would be
    /// less than 1e-26, of which no digit is left in a sum of about 1, and shares below 1e-12 are not
    /// kept anyway.
    static let negligible = 60.0

    /// Expectation step: assigns the shares of each point to the components.
    /// - Parameter shares: Those from which the components were made; they are replaced.
    /// - Returns: The mean log-density.
    private func expect(_ points: [[LowerTriangle.Block]], into shares: inout Responsibilities)
        -> Double
    {
        let count = components.count
        var all = [Double](repeating: -.infinity, count: points.count * count)
        var highest = [Double](repeating: -.infinity, count: points.count)
        func compute(_ k: Int, _ chosen: [Int]) {
            let weight = log(components[k].weight)
            components[k].forEachLogDensity(at: points, chosen) { i, density in
                all[count * i + k] = weight + density
                highest[i] = max(highest[i], weight + density)
            }
        }
        // All points with one component, whose matrix then stays in the processor's cache, before
        // the next one; first those that it described best in the last round.
        let likeliest = shares.likeliest(of: points.count)
        for k in components.indices {
            compute(k, points.indices.filter { likeliest[$0] == k })
        }
        var scratch = points[0]
        for (k, component) in components.enumerated() {
            let weight = log(component.weight)
            compute(
                k,
                points.indices.filter {
                    likeliest[$0] != k
                        && !component.isBelow(
                            highest[$0] - Self.negligible - weight, at: points[$0],
                            scratch: &scratch)
                })
        }
        var total = 0.0
        shares.reset(components: count)
        for i in points.indices {
            let terms = all[count * i..<count * (i + 1)]
            let density = Self.logSumExp(Array(terms))
            total += density
            for (k, term) in terms.enumerated() {
                shares.add(point: i, share: exp(term - density), to: k)
            }
        }
        return total / Double(points.count)
    }
}
