#if canImport(CoreML)
public import Foundation
public import MienCore
public import MienFace

/// A model pack whose networks were converted to Core ML: a folder with the pack's `manifest.json`,
/// calibration, and cohort, and for each network a compiled model, such as `mesh.mlmodelc`.
///
/// ```swift
/// let pack = try CoreMLFacePack(folder: Bundle.main.url(forResource: "faces", withExtension: nil)!)
/// let service = FaceAuthService(folder: "…/face", packID: pack.id)
/// let enroller = try await service.enroller(reader: pack.reader())
/// ```
///
/// The pack's hashes are not compared: the app's signature covers the folder. docs/device-keys.md says
/// how to convert networks.
public struct CoreMLFacePack: Sendable {
    public let id: PackID
    public let geometry: FaceGeometry
    /// Compares descriptors of the pack.
    public let matcher: FaceMatcher
    private let models: [FaceNetwork: URL]

    private struct Manifest: Decodable {
        let id: PackID
        let networks: [String: String]
        let geometry: FaceGeometry
        let calibration: String
        let cohort: String?
    }

    private static let fileLimit = 64 << 20

    /// - Throws: ``FaceAuthError`` `.storage` for a file that is missing or malformed. Models are
    ///   read by ``reader(looksForAttacks:)``.
    public init(folder: URL) throws(FaceAuthError) {
        let manifest: Manifest = try Self.decoded("manifest.json", in: folder)
        (id, geometry) = (manifest.id, manifest.geometry)
        let table: CalibrationTable = try Self.decoded(manifest.calibration, in: folder)
        let dimensions = manifest.geometry.descriptor.dimensions
        if table.normalization.usesCohort {
            let name = manifest.cohort ?? "cohort.bin"
            let cohort: Cohort
            do { cohort = try Cohort(bytes: Self.bytes(name, in: folder)) } catch let error
                as FaceAuthError
            { throw error } catch { throw Self.malformed(name, "\(error)") }
            guard cohort.dimension == dimensions else {
                throw Self.malformed(
                    name,
                    "it has \(cohort.dimension) dimensions, and descriptors have \(dimensions)")
            }
            matcher = FaceMatcher(cohort: cohort, calibration: table)
        } else {
            matcher = FaceMatcher(dimension: dimensions, calibration: table)
        }
        models = FaceNetwork.allCases.reduce(into: [:]) { models, network in
            guard manifest.networks[network.rawValue] != nil else { return }
            models[network] = folder.appending(path: "\(network.rawValue).mlmodelc")
        }
    }

    /// Loads the networks. Keep the reader: loading takes longer than reading a frame.
    ///
    /// - Parameter looksForAttacks: Runs the network against prints and screens on every frame, if
    ///   the pack has one.
    /// - Throws: ``FaceModelError`` for a model that is missing or has another input.
    public func reader(looksForAttacks: Bool = false) throws(FaceModelError)
        -> FaceNetworkReader<CoreMLFaceNetworks>
    {
        FaceNetworkReader(
            try CoreMLFaceNetworks(geometry: geometry, models: models),
            looksForAttacks: looksForAttacks)
    }

    private static func decoded<Value: Decodable>(_ name: String, in folder: URL)
        throws(FaceAuthError) -> Value
    {
        let bytes = try bytes(name, in: folder)
        do {
            let limits = JSONText.Limits(maxBytes: fileLimit, maxDepth: 16)
            return try JSONText.parse(bytes, limits: limits).decoded(as: Value.self)
        } catch { throw malformed(name, "\(error)") }
    }

    /// - Parameter name: A plain file name.
    private static func bytes(_ name: String, in folder: URL) throws(FaceAuthError) -> [UInt8] {
        guard !name.contains("/"), !name.hasPrefix("."),
            let data = try? Data(contentsOf: folder.appending(path: name)),
            data.count <= fileLimit
        else { throw malformed(name, "it is missing, or larger than 64 MiB") }
        return [UInt8](data)
    }

    private static func malformed(_ name: String, _ why: String) -> FaceAuthError {
        FaceAuthError(.storage, "\(name) of the model pack: \(why).")
    }
}
#endif
