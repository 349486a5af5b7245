import CoreML
import Foundation
import MienDevice
import MienFace

/// Networks on Core ML.
@MainActor let networkTests = [
    AppleTest(
        "networks run on Core ML in the layout of the pack, and a missing or wrong one says which"
    ) {
        let geometry = FaceGeometry(
            detectorShortRange: DetectorGeometry(
                input: InputGeometry(width: 16, height: 8), grids: [.init(stride: 16, perCell: 1)]),
            detectorFullRange: nil,
            mesh: MeshGeometry(input: InputGeometry(width: 64, height: 64), cropFactor: 1.5),
            iris: IrisGeometry(input: InputGeometry(width: 16, height: 16), cropFactor: 2.3),
            descriptor: DescriptorGeometry(
                input: InputGeometry(width: 32, height: 16, layout: .nchw), dimensions: 4,
                alignment: [
                    .init(mesh: 33, x: 10, y: 12), .init(mesh: 263, x: 22, y: 12),
                    .init(mesh: 2, x: 16, y: 14),
                ]))
        var places: [FaceNetwork: URL] = [:]
        for network in FaceNetwork.allCases where !network.isOptional {
            let name = "\(network.rawValue).mlmodelc"
            places[network] = URL(fileURLWithPath: "/models/\(name)")
            FakeModels.shared.register(name, shape: geometry.input(of: network)?.shape ?? []) {
                input in
                [[Float(input.count), input[1]], [input[0]], [input.reduce(0, +)]]
            }
        }
        let networks = try CoreMLFaceNetworks(geometry: geometry, models: places)
        for (network, input) in [
            (FaceNetwork.detectorShortRange, geometry.detectorShortRange.input),
            (.descriptor, geometry.descriptor.input),
        ] {
            let outputs = try networks.run(network) { span in
                for index in 0..<span.count { span[index] = index < 2 ? Float(index + 3) : 0.5 }
            }
            expect(
                outputs == [[Float(input.count), 4], [3], [7 + Float(input.count - 2) / 2]],
                "\(outputs)")
        }
        expect(
            (await error { _ = try networks.run(.presentationAttack) { _ in } } as? FaceModelError)?
                .network == .presentationAttack)
        var missing = places
        missing[.mesh] = nil
        expect(
            (await error { _ = try CoreMLFaceNetworks(geometry: geometry, models: missing) }
                as? FaceModelError)?.network == .mesh)
        missing[.mesh] = URL(fileURLWithPath: "/models/unknown.mlmodelc")
        expect(
            (await error { _ = try CoreMLFaceNetworks(geometry: geometry, models: missing) }
                as? FaceModelError)?.network == .mesh)
    }
]
