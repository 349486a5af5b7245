/// The mean and deviation of the largest cosines between a descriptor and the members of a cohort.
///
/// A descriptor in a crowded part of the space has a high mean; its raw cosines with strangers are
/// high, too.
public struct CohortStatistics: Sendable, Hashable, Codable {
    /// −1…1.
    public let mean: Float
    /// The population standard deviation, at least ``minDeviation``.
    public let deviation: Float

    /// Prevents division by zero for a cohort of copies. Real cohorts have about 0.01.
    public static let minDeviation: Float = 1e-4

    public init(mean: Float, deviation: Float) {
        self.mean = mean
        self.deviation = max(deviation, Self.minDeviation)
    }

    /// Statistics that leave a cosine unchanged.
    public static let unnormalized = CohortStatistics(mean: 0, deviation: 1)

    /// Returns the same mean with a deviation halfway to `typical`.
    public func shrunk(toward typical: Float) -> CohortStatistics {
        CohortStatistics(mean: mean, deviation: 0.5 * (deviation + typical))
    }
}

extension CohortStatistics {
    /// Computes the statistics of the `count` largest of `values`.
    ///
    /// Counts the values in 4096 bins over −1…1, so that only one bin must be sorted. A full sort
    /// would cost more than the dot products.
    ///
    /// - Parameter values: Cosines. Values that rounding puts outside −1…1 count in the end bins.
    /// - Precondition: 0 < `count` ≤ `values.count`, and no value is NaN.
    init(ofLargest count: Int, of values: [Float]) {
        precondition(count > 0 && count <= values.count, "\(count) largest of \(values.count)")
        var drawers = [UInt32](repeating: 0, count: Self.drawerCount)
        for value in values { drawers[Self.drawer(of: value)] += 1 }
        var cut = Self.drawerCount - 1, above = 0
        while above + Int(drawers[cut]) < count {
            above += Int(drawers[cut])
            cut -= 1
        }
        // Slightly below every value of bin `cut`, so that most values need only one comparison.
        let floor = cut == 0 ? -Float.infinity : Float(cut - 1) / 2048 - 1
        var sum = 0.0, squares = 0.0, edge: [Float] = []
        for value in values where value >= floor {
            let drawer = Self.drawer(of: value)
            if drawer == cut { edge.append(value) }
            guard drawer > cut else { continue }
            sum += Double(value)
            squares += Double(value) * Double(value)
        }
        edge.sort(by: >)
        for value in edge.prefix(count - above) {
            sum += Double(value)
            squares += Double(value) * Double(value)
        }
        let mean = sum / Double(count)
        self.init(
            mean: Float(mean),
            deviation: Float(max(0, squares / Double(count) - mean * mean).squareRoot()))
    }

    private static let drawerCount = 4096

    private static func drawer(of value: Float) -> Int {
        min(max(Int((value + 1) * 2048), 0), 4095)
    }
}
