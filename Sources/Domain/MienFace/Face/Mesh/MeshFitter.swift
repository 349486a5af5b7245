internal import Foundation

/// Fits the mesh to a detected face.
public struct MeshFitter: Sendable {
    public let geometry: MeshGeometry

    public init(_ geometry: MeshGeometry) { self.geometry = geometry }

    /// Returns the mesh of `face`. Runs the network once on the square around the face, rotated so
    /// that the eyes are level.
    public func mesh(of face: DetectedFace, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> FaceMesh
    {
        let across = face.leftEye - face.rightEye
        return try mesh(
            center: face.box.center,
            size: max(face.box.width, face.box.height) * geometry.cropFactor,
            angle: atan2(across.y, across.x),
            in: image, with: networks)
    }

    /// Fits the mesh again, positioned by a first one, because the mesh's outline is more precise
    /// than the detector's box. Also used for tracking.
    public func mesh(near mesh: FaceMesh, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> FaceMesh
    {
        let across = mesh.leftEyeCenter - mesh.rightEyeCenter
        let angle = atan2(across.y, across.x)
        // The outline's box, upright along the eyes.
        let turn = AffineMap(
            a: cos(angle), b: sin(angle), tx: 0, c: -sin(angle), d: cos(angle), ty: 0)
        let level = FaceMesh(
            points: mesh.points.map { turn($0) }, depths: mesh.depths, evidence: mesh.evidence
        ).bounds
        let size = max(level.width, level.height) * geometry.cropFactor
        return try self.mesh(
            center: turn.inverse(level.center), size: size, angle: angle, in: image, with: networks)
    }

    private func mesh(
        center: Point, size: Double, angle: Double, in image: RGBImage,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> FaceMesh {
        let side = geometry.input.width
        let map = AffineMap.crop(center: center, size: max(size, 1), angle: angle, side: side)
        let crop = image.warped(by: map, width: side, height: side)
        let outputs = try networks.run(.mesh) { geometry.input.write(crop, into: &$0) }
        guard outputs.count >= 2, outputs[0].count == 3 * FaceMesh.pointCount,
            let logit = outputs[1].first,
            logit.isFinite, outputs[0].allSatisfy(\.isFinite)
        else {
            throw FaceModelError(
                .mesh, "expected 1404 numbers and a score, got \(outputs.map(\.count))")
        }
        let back = map.inverse, k = back.scale
        let values = outputs[0]
        return FaceMesh(
            points: (0..<FaceMesh.pointCount).map {
                back(Point(x: Double(values[3 * $0]), y: Double(values[3 * $0 + 1])))
            },
            depths: (0..<FaceMesh.pointCount).map { Double(values[3 * $0 + 2]) * k },
            evidence: Double(logit))
    }
}
