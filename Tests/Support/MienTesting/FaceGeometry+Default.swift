import MienFace

extension FaceGeometry {
    /// The inputs and outputs of the default pack's networks. A test compares them with the pack's
    /// manifest.
    public static let defaultPack = FaceGeometry(
        detectorShortRange: DetectorGeometry(
            input: InputGeometry(
                width: 128, height: 128, mean: [127.5, 127.5, 127.5], scale: 0.007843138),
            grids: [.init(stride: 8, perCell: 2), .init(stride: 16, perCell: 6)]),
        detectorFullRange: DetectorGeometry(
            input: InputGeometry(
                width: 192, height: 192, mean: [127.5, 127.5, 127.5], scale: 0.007843138),
            grids: [.init(stride: 4, perCell: 1)]),
        mesh: MeshGeometry(
            input: InputGeometry(width: 192, height: 192, scale: 0.003921569), cropFactor: 1.5),
        iris: IrisGeometry(
            input: InputGeometry(width: 64, height: 64, scale: 0.003921569), cropFactor: 2.3),
        descriptor: DescriptorGeometry(
            input: InputGeometry(width: 150, height: 150), dimensions: 128,
            alignment: [
                .init(mesh: 263, x: 110.9567459599, y: 46.3498153801),
                .init(mesh: 362, x: 89.606047641, y: 47.8967438768),
                .init(mesh: 33, x: 37.0575062079, y: 46.3727452685),
                .init(mesh: 133, x: 58.4085061371, y: 47.9064240324),
                .init(mesh: 2, x: 74.0112313568, y: 87.7797531648),
            ],
            crops: [
                .init(), .init(mirrored: true), .init(zoom: 1.1), .init(zoom: 1.1, mirrored: true),
            ], likeness: .standard))
}
