import MienFace
import MienTesting
import Testing

@Suite("Face mesh")
struct FaceMeshTests {
    private let mesh = SyntheticHead().mesh(center: Point(x: 100, y: 80), halfWidth: 50)

    @Test("the bounds contain every point and touch the outermost")
    func bounds() {
        #expect(abs(mesh.bounds.x - 50) < 1e-9 && abs(mesh.bounds.width - 100) < 1e-9)
        #expect(abs(mesh.bounds.y - 15) < 1e-9 && abs(mesh.bounds.height - 130) < 1e-9)
    }

    @Test("an eye's center is between its corners, and the eye distance is between the centers")
    func eyes() {
        #expect(mesh.rightEyeCenter.distance(to: Point(x: 100 - 21.75, y: 62.5)) < 1e-9)
        #expect(mesh.leftEyeCenter.distance(to: Point(x: 100 + 21.75, y: 62.5)) < 1e-9)
        #expect(abs(mesh.eyeDistance - 43.5) < 1e-9)
    }

    @Test("presence is the probability for the evidence logit")
    func presence() {
        func presence(_ evidence: Double) -> Double {
            FaceMesh(points: mesh.points, depths: mesh.depths, evidence: evidence).presence
        }
        #expect(presence(0) == 0.5)
        #expect(abs(presence(2) - 0.880797) < 1e-6)
        #expect(presence(-1000) == 0 && presence(1000) == 1)
    }

    @Test("the outline goes round once, clockwise on screen, from the forehead")
    func outline() {
        #expect(FaceMesh.outline.count == 36 && Set(FaceMesh.outline).count == 36)
        #expect(
            FaceMesh.outline[0] == FaceMesh.Landmark.forehead
                && FaceMesh.outline[18] == FaceMesh.Landmark.chin)
        #expect(FaceMesh.outline.firstIndex(of: FaceMesh.Landmark.leftCheek)! < 18)
        #expect(FaceMesh.outline.firstIndex(of: FaceMesh.Landmark.rightCheek)! > 18)
    }

    @Test("every contour is made of the mesh's points")
    func contours() {
        #expect(
            (FaceMesh.outline + FaceMesh.features.flatMap(\.self)).allSatisfy {
                (0..<FaceMesh.pointCount).contains($0)
            })
    }

    @Test("a mesh with a wrong number of points traps")
    func count() async {
        await #expect(processExitsWith: .failure) {
            _ = FaceMesh(points: [], depths: [], evidence: 0)
        }
    }
}
