internal import Foundation

/// A convolution with everything that follows it folded in: batch normalization into its weights
/// and biases, and optionally a slope for negative values.
///
/// Sums use double precision and are rounded once, so that the result does not depend on the
/// machine.
package struct PresentationUnit: Equatable, Sendable {
    package let inputs, outputs: Int
    /// Whether each output sees only the input of the same number.
    package let isGrouped: Bool
    /// Side of the square window, stride, and zeros added on each side, in pixels.
    package let window, stride, padding: Int
    /// `[outputs, inputs or 1, window, window]`, the last one fastest.
    package let weights: [Float]
    /// One per output.
    package let biases: [Float]
    /// One per output: the factor of negative values; `nil` where they stay as they are.
    package let slopes: [Float]?
}

/// Takes tensors of a file by name, each once, and checks their shapes.
struct TensorShelf {
    private var tensors: [String: TorchFile.Tensor]

    init(_ file: TorchFile) { tensors = file.tensors }

    func has(_ name: String) -> Bool { tensors[name] != nil }

    mutating func take(_ name: String) throws(PresentationNetworkError) -> TorchFile.Tensor {
        guard let tensor = tensors.removeValue(forKey: name) else { throw .missing(name) }
        return tensor
    }

    mutating func take(_ name: String, shape: [Int]) throws(PresentationNetworkError) -> [Float] {
        let tensor = try take(name)
        guard tensor.shape == shape else {
            throw .shape(name, expected: shape, found: tensor.shape)
        }
        return tensor.values
    }

    /// The scale and shift that a batch normalization applies to each of `count` channels.
    mutating func normalization(_ name: String, count: Int) throws(PresentationNetworkError)
        -> (scales: [Double], shifts: [Double])
    {
        let factors = try take("\(name).weight", shape: [count]),
            offsets = try take("\(name).bias", shape: [count]),
            means = try take("\(name).running_mean", shape: [count]),
            variances = try take("\(name).running_var", shape: [count])
        guard variances.allSatisfy({ $0 >= 0 }) else { throw .variance("\(name).running_var") }
        let scales = zip(factors, variances).map { Double($0) / sqrt(Double($1) + 1e-5) }
        let shifts = zip(zip(offsets, means), scales).map { Double($0.0) - Double($0.1) * $1 }
        return (scales, shifts)
    }

    /// Reads a convolution without biases and the batch normalization after it.
    ///
    /// - Parameters:
    ///   - convolution: the name of the convolution.
    ///   - normalization: the name of the batch normalization.
    ///   - slopes: the name of the slopes; left out where the file has none.
    ///   - inputs: the number of channels that reach it.
    mutating func unit(
        _ convolution: String, _ normalization: String, slopes: String?, inputs: Int, stride: Int,
        isPadded: Bool = true
    ) throws(PresentationNetworkError) -> PresentationUnit {
        let name = "\(convolution).weight", filters = try take(name)
        guard filters.shape.count == 4, filters.shape[2] == filters.shape[3] else {
            throw .shape(name, expected: [-1, inputs, -1, -1], found: filters.shape)
        }
        let outputs = filters.shape[0], window = filters.shape[2]
        let isGrouped = filters.shape[1] == 1 && inputs > 1
        guard isGrouped ? outputs == inputs : filters.shape[1] == inputs else {
            throw .shape(name, expected: [-1, inputs, window, window], found: filters.shape)
        }
        let (scales, shifts) = try self.normalization(normalization, count: outputs)
        let perOutput = filters.values.count / outputs
        let weights = filters.values.indices.map { index in
            Float(Double(filters.values[index]) * scales[index / perOutput])
        }
        let slopeName = slopes.map { "\($0).weight" }
        let found =
            if let slopeName, has(slopeName) { try take(slopeName, shape: [outputs]) } else {
                [Float]?.none
            }
        return PresentationUnit(
            inputs: inputs, outputs: outputs, isGrouped: isGrouped, window: window, stride: stride,
            padding: isPadded && window > 1 ? window / 2 : 0, weights: weights,
            biases: shifts.map { Float($0) }, slopes: found)
    }

    /// - Throws: ``PresentationNetworkError`` when a tensor was not taken.
    func finish() throws(PresentationNetworkError) {
        if let name = tensors.keys.min() { throw .unused(name) }
    }
}
