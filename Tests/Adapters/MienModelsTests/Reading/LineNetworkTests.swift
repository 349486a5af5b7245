import Testing

@testable import MienModels

@Suite struct LineNetworkTests {
    /// Frame, class, and the logarithm of its probability, computed by OpenVINO in Python.
    static let answers: [(Int, Int, Float)] = [
        (0, 37, -2.1676), (0, 0, -2.9838), (0, 21, -3.3094), (57, 37, -2.5690),
        (57, 36, -2.7880), (57, 0, -3.2991), (100, 37, -2.1937), (100, 4, -2.8476),
        (100, 5, -3.4677), (200, 37, -1.3080), (200, 30, -3.2694), (200, 29, -3.5011),
        (263, 37, -2.7116), (263, 7, -3.2767), (263, 28, -3.3968),
    ]

    @Test func `the network computes what it computed in Python`() throws {
        var requests = try LineRequests(Reading.network.get())
        let width = LineNetwork.columns(30)
        let strip = (0..<24 * width).map { i in
            Float((i % width * 7 + i / width * 13) % 29) / 14 - 1.5
        }
        let scores = try requests.read(strip, length: 30)
        #expect(scores.frames == 8 * 33)
        for (frame, character, value) in Self.answers {
            #expect(abs(scores[frame, character] - value) < 0.02, "\(frame), \(character)")
        }
        // Logarithms of probabilities.
        for frame in [0, 100, 263] {
            let sum = (0..<38).reduce(Float(0)) { $0 + scores[frame, $1].exponential }
            #expect(abs(sum - 1) < 1e-4)
        }
    }
}
