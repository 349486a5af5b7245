/// The share of each component in each point. Negligible shares are omitted; in many dimensions,
/// that is nearly all of them.
struct Responsibilities {
    private var shares: [[(point: Int, share: Double)]]

    /// Assigns every point wholly to one cluster.
    init(hard clusters: [Int]) {
        shares = Array(repeating: [], count: (clusters.max() ?? 0) + 1)
        for (point, cluster) in clusters.enumerated() { shares[cluster].append((point, 1)) }
    }

    var componentCount: Int { shares.count }

    /// Returns the number of points that the component's shares add up to.
    func mass(of component: Int) -> Double { shares[component].reduce(0) { $0 + $1.share } }

    func forEach(of component: Int, _ body: (_ point: Int, _ share: Double) -> Void) {
        for entry in shares[component] { body(entry.point, entry.share) }
    }

    /// Returns the component with the largest share in each point; −1 for a point without any.
    func likeliest(of pointCount: Int) -> [Int] {
        var likeliest = [Int](repeating: -1, count: pointCount)
        var largest = [Double](repeating: 0, count: pointCount)
        for (component, entries) in shares.enumerated() {
            for entry in entries where entry.share > largest[entry.point] {
                (likeliest[entry.point], largest[entry.point]) = (component, entry.share)
            }
        }
        return likeliest
    }

    mutating func reset(components: Int) { shares = Array(repeating: [], count: components) }

    mutating func add(point: Int, share: Double, to component: Int) {
        if share > 1e-12 { shares[component].append((point, share)) }
    }

    func hasSmall(under minPoints: Int) -> Bool {
        shares.indices.contains { mass(of: $0) < Double(minPoints) }
    }

    /// Removes the smallest component when it has fewer points than `minPoints`. The next
    /// expectation step distributes its points to the others, which may bring the next smallest
    /// above the minimum. Only one component is therefore removed at a time, except that all
    /// components without any point are removed at once.
    mutating func dropSmall(under minPoints: Int) {
        if shares.contains(where: { !$0.isEmpty }) { shares.removeAll { $0.isEmpty } }
        guard shares.count > 1,
            let smallest = shares.indices.min(by: { mass(of: $0) < mass(of: $1) })
        else { return }
        if mass(of: smallest) < Double(minPoints) { shares.remove(at: smallest) }
    }
}
