internal import MienFace

extension ModelPack {
    /// Measures in which arithmetic this processor runs the pack's descriptor network faster. Blocks
    /// for a few tenths of a second, and for longer if the networks are not cached.
    ///
    /// A processor that supports bf16 is not necessarily faster in it: some virtual machines need 1.5
    /// times as long (docs/measurements/speed.md).
    ///
    /// - Parameter options: How the networks will be compiled; their precision is ignored.
    /// - Throws: `InferenceError` if the network cannot be read or compiled.
    public func fastestPrecision(_ options: NetworkOptions) throws(InferenceError)
        -> NetworkOptions.Precision
    {
        let runtime = try InferenceRuntime()
        guard runtime.fastestPrecision == .bf16 else { return .f32 }
        var requests: [InferRequest] = []
        for precision in [NetworkOptions.Precision.f32, .bf16] {
            var options = options
            options.precision = precision
            let compiled = CompiledPack(self, runtime: runtime, options: options)
            guard let network = try compiled.network(.descriptor) else { return .f32 }
            requests.append(try InferRequest(network))
        }
        guard requests.allSatisfy(\.takesFloats) else { return .f32 }
        return try PrecisionTrial.faster { number throws(InferenceError) in
            let clock = ContinuousClock(), start = clock.now
            _ = try requests[number].run { _ in }
            return start.duration(to: clock.now)
        } == 0 ? .f32 : .bf16
    }
}

enum PrecisionTrial {
    /// Runs two alternatives in turns. Compares their shortest times, which other work on the
    /// machine can only lengthen.
    ///
    /// - Parameter run: Runs the alternative 0 or 1 and returns its time.
    /// - Returns: 1 if it is faster by at least a twentieth, otherwise 0.
    static func faster(_ run: (Int) throws(InferenceError) -> Duration) throws(InferenceError)
        -> Int
    {
        var shortest = [Duration.seconds(3600), .seconds(3600)]
        for round in 0..<8 {
            for number in 0..<2 {
                let time = try run(number)
                // The first runs also allocate.
                if round > 0 { shortest[number] = min(shortest[number], time) }
            }
        }
        return shortest[1] * 20 < shortest[0] * 19 ? 1 : 0
    }
}
