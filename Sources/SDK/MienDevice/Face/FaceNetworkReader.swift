public import MienFace

/// Reads frames with networks that an app passes, such as `CoreMLFaceNetworks`: one frame at a time.
public actor FaceNetworkReader<Networks: FaceNetworks>: LiveFaceReader {
    private let networks: Networks
    private let analyzer: LiveAnalyzer

    /// - Parameter looksForAttacks: Runs the network against prints and screens on every frame, if
    ///   there is one.
    public init(_ networks: sending Networks, looksForAttacks: Bool = false) {
        analyzer = LiveAnalyzer(
            FaceAnalyzer(networks.geometry), looksForAttacks: looksForAttacks)
        self.networks = networks
    }

    public func reading(of frame: Frame, index: Int) throws(FaceModelError) -> FaceReading {
        try analyzer.reading(of: frame, index: index, with: networks)
    }

    public func entry(of reading: FaceReading) throws(FaceModelError) -> FaceTemplate.Entry {
        try analyzer.entry(of: reading, with: networks)
    }
}
