/// The networks in a model pack.
public enum FaceNetwork: String, Sendable, CaseIterable, Codable {
    /// Finds faces that fill a large part of the picture, as in selfies and portraits.
    case detectorShortRange
    /// Finds small faces, too.
    case detectorFullRange
    /// Finds 468 points on one face.
    case mesh
    /// Finds the contour and iris of one eye.
    case iris
    /// Computes a vector that is close to those of other photos of the same person.
    case descriptor
    /// Distinguishes prints and screens from faces.
    case presentationAttack

    /// Whether a pack may omit the network.
    public var isOptional: Bool { self == .detectorFullRange || self == .presentationAttack }

    /// Whether most pictures do without the network: only photos in which every face is small, or
    /// none is found, need the detector for small faces, and frames of live sessions never do.
    package var isRarelyNeeded: Bool { self == .detectorFullRange }
}

/// Runs a pack's networks. The pipeline defines this protocol; OpenVINO implements it on servers
/// and desktops, and Core ML could on a phone.
///
/// For one thread at a time: each worker has its own instance.
public protocol FaceNetworks {
    /// The networks' inputs and outputs.
    var geometry: FaceGeometry { get }

    /// Runs `network` once. `fill` writes the whole input in the layout of ``FaceGeometry``.
    ///
    /// - Returns: The outputs in the geometry's order, row-major.
    func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]

    /// Runs `network` on `count` inputs. Runs them as a batch where that is cheaper, because the
    /// weights are then read only once.
    ///
    /// - Parameter fill: Writes the whole input with the given number, counted from 0.
    /// - Returns: The result of ``run(_:_:)`` for each input.
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

/// A failure to run a network, or an output whose shape differs from the pack's declaration.
public struct FaceModelError: Error, Sendable {
    public let network: FaceNetwork
    /// For an operator; contains no personal data.
    public let reason: String

    public init(_ network: FaceNetwork, _ reason: String) {
        self.network = network
        self.reason = reason
    }
}

extension FaceModelError: CustomStringConvertible {
    public var description: String { "the \(network.rawValue) network failed: \(reason)" }
}
