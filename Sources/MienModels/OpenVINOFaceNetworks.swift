internal import Foundation
public import MienFace
public import MienInference

/// A pack's networks, compiled for this CPU. May be used from any thread; each worker makes its own ``OpenVINOFaceNetworks`` from it.
public final class CompiledPack: Sendable {
    public let pack: ModelPack
    public let options: NetworkOptions
    private let networks: [FaceNetwork: Network]

    /// Compiles every network; blocks for about a second, less with a cache folder that has been filled.
    ///
    /// - Throws: `InferenceError` when a network cannot be read or compiled.
    public init(_ pack: ModelPack, runtime: InferenceRuntime, options: NetworkOptions) throws(InferenceError) {
        var networks: [FaceNetwork: Network] = [:]
        for network in FaceNetwork.allCases {
            guard let file = pack.manifest.file(of: network) else { continue }
            networks[network] = try Network(
                pack.folder.appending(path: file).path, runtime: runtime, options: options,
                shape: pack.manifest.geometry.input(of: network)?.shape ?? [])
        }
        (self.pack, self.options, self.networks) = (pack, options, networks)
    }

    func network(_ name: FaceNetwork) -> Network? { networks[name] }
}

/// `FaceNetworks` over OpenVINO. One thread at a time.
public final class OpenVINOFaceNetworks: FaceNetworks {
    public let geometry: FaceGeometry
    private let compiled: CompiledPack
    private var requests: [FaceNetwork: InferRequest] = [:]

    /// Makes no request yet: a network that is never used takes no memory.
    public init(_ compiled: CompiledPack) {
        self.compiled = compiled
        geometry = compiled.pack.manifest.geometry
    }

    public func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void) throws(FaceModelError) -> [[Float]] {
        let request = try request(for: network)
        do { return try request.run(fill) } catch { throw FaceModelError(network, error.reason) }
    }

    private func request(for network: FaceNetwork) throws(FaceModelError) -> InferRequest {
        if let request = requests[network] { return request }
        guard let compiled = compiled.network(network) else { throw FaceModelError(network, "the pack does not bring it") }
        let request: InferRequest
        do { request = try InferRequest(compiled) } catch { throw FaceModelError(network, error.reason) }
        guard request.takesFloats, request.inputCount == geometry.input(of: network)?.count else {
            throw FaceModelError(network, "its input is not the one the manifest declares")
        }
        requests[network] = request
        return request
    }
}

extension FaceGeometry {
    func input(of network: FaceNetwork) -> InputGeometry? {
        switch network {
        case .detectorShortRange: detectorShortRange.input
        case .detectorFullRange: detectorFullRange?.input
        case .mesh: mesh.input
        case .iris: iris.input
        case .descriptor: descriptor.input
        }
    }
}
