internal import CMienOpenVINO

/// A request that runs a network with its own input and output memory. For one thread at a time;
/// each worker has its own.
@safe public final class InferRequest {
    private let raw: OpaquePointer
    private let network: Network

    /// The number of input values for one run.
    public let inputCount: Int
    /// Whether the input is f32 (otherwise u8).
    public let takesFloats: Bool

    /// - Throws: ``InferenceError`` `.unsuitableModel` when the input is neither f32 nor u8, or an
    ///   output is not f32.
    public init(_ network: Network) throws(InferenceError) {
        var request: OpaquePointer?
        try unsafe checked(network.path) {
            unsafe mien_ov_request_new(network.raw, &request, $0, $1)
        }
        var data: UnsafeMutableRawPointer?
        var count = 0
        var bytes: Int32 = 0
        unsafe mien_ov_request_input(request!, &data, &count, &bytes)
        unsafe raw = request!
        self.network = network
        inputCount = count
        takesFloats = bytes == 4
    }

    deinit { unsafe mien_ov_request_free(raw) }

    /// Runs the network once on the calling thread.
    ///
    /// - Parameter fill: Writes all ``inputCount`` values. Values that it does not write keep their
    ///   content from the previous run.
    /// - Returns: A copy of every output's values, in the file's order.
    /// - Precondition: ``takesFloats``.
    public func run(_ fill: (inout MutableSpan<Float>) -> Void) throws(InferenceError) -> [[Float]]
    {
        try run(parts: 1) { fill(&$1) }[0]
    }

    /// Runs a network whose input is a batch of `parts`.
    ///
    /// - Parameter fill: Writes the part with the given number, ``inputCount`` ÷ `parts` values.
    /// - Returns: For each part, its share of every output.
    /// - Precondition: ``takesFloats``; `parts` divides the sizes of the input and of each output.
    public func run(parts: Int, _ fill: (Int, inout MutableSpan<Float>) -> Void)
        throws(InferenceError) -> [[[Float]]]
    {
        precondition(takesFloats, "this network's input is bytes, not floats")
        precondition(
            parts > 0 && inputCount.isMultiple(of: parts), "the batch must divide into equal parts")
        var data: UnsafeMutableRawPointer?
        var count = 0
        var bytes: Int32 = 0
        unsafe mien_ov_request_input(raw, &data, &count, &bytes)
        let start = unsafe data!.assumingMemoryBound(to: Float.self), each = count / parts
        for part in 0..<parts {
            var span = unsafe MutableSpan(_unsafeStart: start + part * each, count: each)
            fill(part, &span)
        }
        try unsafe checked(network.path) { unsafe mien_ov_request_run(raw, $0, $1) }
        let outputs = unsafe (0..<mien_ov_request_outputs(raw)).map(output)
        return (0..<parts).map { part in
            outputs.map { values in
                let share = values.count / parts
                return parts == 1 ? values : Array(values[part * share..<(part + 1) * share])
            }
        }
    }

    private func output(_ index: Int) -> [Float] {
        var data: UnsafePointer<Float>?
        var count = 0
        unsafe mien_ov_request_output(raw, index, &data, &count)
        return unsafe Array(UnsafeBufferPointer(start: data, count: count))
    }
}
