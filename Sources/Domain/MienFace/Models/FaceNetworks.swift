/// The networks a model pack brings.
public enum FaceNetwork: String, Sendable, CaseIterable, Codable {
    /// Finds faces that take up a good part of the picture: selfies, portraits.
    case detectorShortRange
    /// Finds small faces too.
    case detectorFullRange
    /// 468 points on one face.
    case mesh
    /// Eye contour and iris of one eye.
    case iris
    /// A vector that is near to that of other photos of the same person.
    case descriptor
    /// Tells prints and screens from faces.
    case presentationAttack

    /// May be missing from a pack.
    public var isOptional: Bool { self == .detectorFullRange || self == .presentationAttack }
}

/// Runs a pack's networks. The pipeline owns this seam; OpenVINO stands behind it on servers and
/// desktops, Core ML may on a phone.
///
/// One thread at a time: each worker has its own.
public protocol FaceNetworks {
    /// What the networks take and give.
    var geometry: FaceGeometry { get }

    /// Runs `network` once. `fill` writes the whole input, as ``FaceGeometry`` lays it out.
    ///
    /// - Returns: the outputs in the order the geometry names them, row-major.
    func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]

    /// Runs `network` on `count` inputs, together where that costs less than one after another:
    /// weights are then read once.
    ///
    /// - Parameter fill: writes the whole input of the given number, from 0.
    /// - Returns: what ``run(_:_:)`` returns, of each input.
    func run(
        _ network: FaceNetwork, count: Int, _ fill: (Int, inout MutableSpan<Float>) -> Void
    ) throws(FaceModelError) -> [[[Float]]]
}

extension FaceNetworks {
    public func run(
        _ network: FaceNetwork, count: Int, _ fill: (Int, inout MutableSpan<Float>) -> Void
    ) throws(FaceModelError) -> [[[Float]]] {
        var outputs: [[[Float]]] = []
        for number in 0..<count { outputs.append(try run(network) { fill(number, &$0) }) }
        return outputs
    }
}

/// A network could not be run, or answered with numbers of another shape than its pack declares.
public struct FaceModelError: Error, Sendable {
    public let network: FaceNetwork
    /// For an operator; holds no personal data.
    public let reason: String

    public init(_ network: FaceNetwork, _ reason: String) {
        self.network = network
        self.reason = reason
    }
}

extension FaceModelError: CustomStringConvertible {
    public var description: String { "the \(network.rawValue) network failed: \(reason)" }
}
