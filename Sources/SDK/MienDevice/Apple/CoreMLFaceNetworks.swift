#if canImport(CoreML)
internal import CoreML
public import Foundation
public import MienFace

/// The networks of a face pipeline on Core ML: compiled models, one for each network.
///
/// Each model has the input `input` and the outputs `output0`, `output1` … as arrays of 32-bit floats,
/// in the shapes and the order of docs/spec/model-pack.md. docs/device-keys.md says how to convert a
/// pack's networks. For one thread at a time.
public final class CoreMLFaceNetworks: FaceNetworks {
    public let geometry: FaceGeometry
    private let models: [FaceNetwork: MLModel]

    /// - Parameters:
    ///   - geometry: That of the pack's manifest.
    ///   - models: The folders of compiled models (`.mlmodelc`).
    /// - Throws: ``FaceModelError`` for a model that cannot be read or has another input, and for a
    ///   network that is missing.
    public init(geometry: FaceGeometry, models: [FaceNetwork: URL]) throws(FaceModelError) {
        self.geometry = geometry
        var loaded: [FaceNetwork: MLModel] = [:]
        for network in FaceNetwork.allCases {
            guard let place = models[network] else {
                if network.isOptional { continue }
                throw FaceModelError(network, "There is no model for it.")
            }
            do {
                loaded[network] = try MLModel(
                    contentsOf: place, configuration: MLModelConfiguration())
            } catch { throw FaceModelError(network, "\(error)") }
        }
        self.models = loaded
    }

    public func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]
    {
        guard let model = models[network], let input = geometry.input(of: network) else {
            throw FaceModelError(network, "The pack does not contain this network.")
        }
        do {
            let array = try MLMultiArray(
                shape: input.shape.map { NSNumber(value: $0) }, dataType: .float32)
            unsafe array.withUnsafeMutableBytes { bytes, _ in
                let buffer = unsafe bytes.bindMemory(to: Float.self)
                var span = unsafe buffer.mutableSpan
                fill(&span)
            }
            let answer = try model.prediction(
                from: MLDictionaryFeatureProvider(dictionary: ["input": array]))
            return Self.outputs(of: answer)
        } catch { throw FaceModelError(network, "\(error)") }
    }

    /// The outputs in their order, row-major.
    private static func outputs(of answer: any MLFeatureProvider) -> [[Float]] {
        var outputs: [[Float]] = []
        while let value = answer.featureValue(for: "output\(outputs.count)")?.multiArrayValue {
            // Not by its memory: Core ML may lay rows out with gaps between them.
            outputs.append((0..<value.count).map { value[$0].floatValue })
        }
        return outputs
    }
}
#endif
