internal import Foundation
internal import MienCore
public import MienFace

/// A pack's networks, each compiled for this CPU when first used. Safe to use from any thread; each
/// worker creates its own ``OpenVINOFaceNetworks`` from it.
public final class CompiledPack: Sendable {
    public let pack: ModelPack
    public let options: NetworkOptions
    public let variant: PackVariant?
    private let runtime: InferenceRuntime
    // Compile under the lock: other users of the same network have to wait for it anyway.
    private let state: Locked<State>

    private struct State {
        var networks: [BatchedNetwork: Network] = [:]
        /// The networks that take only one input at a time.
        var unbatchable: Set<FaceNetwork> = []
        var cache: CompiledNetworkCache?
    }

    /// - Parameters:
    ///   - options: compiled networks are cached in a separate folder per pack under the
    ///   cache folder. OpenVINO identifies a cached network by the file's path and time; the
    ///   folder's name ensures that changed files are recompiled.
    ///   - variant: the form of the networks, as far as the pack has them in it.
    public init(
        _ pack: ModelPack, runtime: InferenceRuntime, options: NetworkOptions,
        variant: PackVariant? = nil
    ) {
        var options = options
        let cache = options.cacheFolder.flatMap {
            CompiledNetworkCache(
                folder: URL(filePath: $0).appending(path: "\(pack.id.text)-\(pack.fingerprint)"))
        }
        options.cacheFolder = cache?.folder.path
        state = Locked(State(cache: cache))
        (self.pack, self.runtime, self.options) = (pack, runtime, options)
        self.variant = variant
    }

    /// Compiles the networks that are not compiled yet, so that the first request does not wait.
    /// Blocks for about a second.
    ///
    /// - Throws: `InferenceError` if a network cannot be read or compiled.
    public func compile(_ networks: [FaceNetwork] = FaceNetwork.allCases) throws(InferenceError) {
        let crops = pack.manifest.geometry.descriptor.crops.count
        for network in networks {
            if network == .descriptor, batched(network, count: crops) != nil { continue }
            _ = try self.network(network)
        }
        InferenceRuntime.returnMemory()
    }

    /// Returns the network for `count` inputs at once.
    ///
    /// - Returns: `nil` if the network does not support batches because its file has a fixed batch
    ///   size of one.
    func batched(_ name: FaceNetwork, count: Int) -> Network? {
        if count == 1 || state.withLock({ $0.unbatchable.contains(name) }) { return nil }
        do { return try network(name, batch: count) } catch {
            _ = state.withLock { $0.unbatchable.insert(name) }
            return nil
        }
    }

    /// - Returns: `nil` if the pack does not contain the network.
    func network(_ name: FaceNetwork, batch: Int = 1) throws(InferenceError) -> Network? {
        guard let file = pack.manifest.file(of: name, in: variant) else { return nil }
        let wanted = BatchedNetwork(name: name, batch: batch)
        return try state.withLock { state throws(InferenceError) in
            if let network = state.networks[wanted] { return network }
            let open = { () throws(InferenceError) in
                var shape = self.pack.manifest.geometry.input(of: name)?.shape ?? []
                if !shape.isEmpty { shape[0] = batch }
                var options = self.options
                // Each stream has buffers of its own. Workers take turns with this network.
                if name.isRarelyNeeded { options.streams = 1 }
                return try Network(
                    self.pack.folder.appending(path: file).path, runtime: self.runtime,
                    options: options, shape: shape, reshaping: batch > 1)
            }
            let network: Network
            if state.cache != nil {
                network = try state.cache!.opening(open)
            } else {
                network = try open()
            }
            state.networks[wanted] = network
            return network
        }
    }
}

/// A network and its batch size.
struct BatchedNetwork: Hashable {
    let name: FaceNetwork
    let batch: Int
}

/// Runs face networks with OpenVINO. Use it from one thread at a time.
public final class OpenVINOFaceNetworks: FaceNetworks {
    public let geometry: FaceGeometry
    private let compiled: CompiledPack
    private var requests: [BatchedNetwork: InferRequest] = [:]

    /// Creates no requests yet, so a network that is never used takes no memory.
    public init(_ compiled: CompiledPack) {
        self.compiled = compiled
        geometry = compiled.pack.manifest.geometry
    }

    public func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]
    {
        let request = try request(for: network) { () throws(InferenceError) in
            try compiled.network(network)
        }
        do { return try request.run(fill) } catch { throw FaceModelError(network, error.reason) }
    }

    public func run(
        _ network: FaceNetwork, count: Int, _ fill: (Int, inout MutableSpan<Float>) -> Void
    ) throws(FaceModelError) -> [[[Float]]] {
        guard let batched = compiled.batched(network, count: count) else {
            var outputs: [[[Float]]] = []
            for number in 0..<count { outputs.append(try run(network) { fill(number, &$0) }) }
            return outputs
        }
        let request = try request(for: network, batch: count) { batched }
        do { return try request.run(parts: count, fill) } catch {
            throw FaceModelError(network, error.reason)
        }
    }

    private func request(
        for network: FaceNetwork, batch: Int = 1, _ compiled: () throws(InferenceError) -> Network?
    ) throws(FaceModelError) -> InferRequest {
        let wanted = BatchedNetwork(name: network, batch: batch)
        if let request = requests[wanted] { return request }
        let request: InferRequest
        do throws(InferenceError) {
            guard let network = try compiled() else {
                throw InferenceError(.unreadableModel, "the pack does not contain this network")
            }
            request = try InferRequest(network)
        } catch { throw FaceModelError(network, error.reason) }
        guard request.takesFloats,
            request.inputCount == geometry.input(of: network).map({ $0.count * batch })
        else {
            throw FaceModelError(network, "its input does not match the manifest")
        }
        requests[wanted] = request
        return request
    }
}
