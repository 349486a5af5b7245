internal import CMienReading

/// The network that reads lines of machine-readable zones.
///
/// Trained on drawn lines only, see `scripts/line-network`. Input: `[1, 1, 24, 16 (N + 3)]`, brightness
/// relative to the paper in units of the contrast, for lines of N characters. Output: `[1, 38, 1, 8
/// (N + 3)]`, one frame for two columns: scores of `0`–`9`, `A`–`Z`, `<`, and “between characters”.
public final class LineNetwork: Sendable {
    /// Networks by the number of characters of a line.
    let networks: [Int: Network]

    /// Compiles the network for lines of 30, 36, and 44 characters.
    ///
    /// Blocks for some hundred milliseconds.
    /// - Throws: ``InferenceError``.
    public init(runtime: InferenceRuntime) throws(InferenceError) {
        var networks: [Int: Network] = [:]
        for length in [30, 36, 44] {
            networks[length] = unsafe try Network(
                model: UnsafeRawBufferPointer(
                    start: mien_line_network_model(), count: mien_line_network_model_bytes()),
                weights: UnsafeRawBufferPointer(
                    start: mien_line_network_weights(), count: mien_line_network_weights_bytes()),
                name: "the network for machine-readable zones", runtime: runtime,
                shape: [1, 1, StripCutter.rows, Self.columns(length)])
        }
        self.networks = networks
    }

    /// The width of a strip.
    static func columns(_ length: Int) -> Int { (length + 3) * StripCutter.pitch }
}

/// The network's requests. For one thread at a time.
struct LineRequests {
    private let requests: [Int: InferRequest]
    /// The number of lines that were read.
    private(set) var count = 0

    init(_ network: LineNetwork) throws(InferenceError) {
        var requests: [Int: InferRequest] = [:]
        for (length, network) in network.networks { requests[length] = try InferRequest(network) }
        self.requests = requests
    }

    /// Logarithms of the probabilities: of each frame, 38 classes.
    mutating func read(_ strip: [Float], length: Int) throws(InferenceError) -> FrameScores {
        guard let request = requests[length] else {
            preconditionFailure("no network for \(length)")
        }
        count += 1
        let output = try request.run { input in
            for i in strip.indices { input[i] = strip[i] }
        }[0]
        return FrameScores(logits: output)
    }
}

/// Logarithms of the probabilities of each class in each frame of a line.
struct FrameScores {
    static let classes = 38

    let frames: Int
    /// Frame by frame.
    private let values: [Float]

    /// - Parameter logits: Class by class.
    init(logits: [Float]) {
        frames = logits.count / Self.classes
        var values = [Float](repeating: 0, count: logits.count)
        for t in 0..<frames {
            var peak = -Float.infinity
            for c in 0..<Self.classes { peak = max(peak, logits[c * frames + t]) }
            var sum: Float = 0
            for c in 0..<Self.classes { sum += (logits[c * frames + t] - peak).exponential }
            let total = peak + sum.logarithm
            for c in 0..<Self.classes {
                values[t * Self.classes + c] = logits[c * frames + t] - total
            }
        }
        self.values = values
    }

    subscript(frame: Int, character: Int) -> Float { values[frame * Self.classes + character] }
}
