/// A piecewise linear curve from a measured value to a grade of 0...100.
///
/// Two points are set first: the value at which the grade passes 48, the default threshold, and the
/// value for the full grade.
struct Grade: Sendable {
    private let knots: [(value: Double, grade: Double)]

    /// - Parameter knots: In order of increasing values.
    init(_ knots: (Double, Double)...) {
        self.knots = knots.map { (value: $0.0, grade: $0.1) }
        assert(
            zip(self.knots, self.knots.dropFirst()).allSatisfy { $0.value < $1.value },
            "knots must increase"
        )
    }

    func callAsFunction(_ value: Double) -> Double {
        guard let first = knots.first, value > first.value else { return knots.first?.grade ?? 0 }
        for (a, b) in zip(knots, knots.dropFirst()) where value <= b.value {
            return a.grade + (b.grade - a.grade) * (value - a.value) / (b.value - a.value)
        }
        return knots.last!.grade
    }
}
