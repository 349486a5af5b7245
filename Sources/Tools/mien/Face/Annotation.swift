import Foundation
import MienFace

/// Draws the results onto the photo: box, mesh, head direction, quality, and reasons.
enum Annotation {
    private static let box = RGBColor(60, 200, 120), other = RGBColor(150, 150, 150),
        mesh = RGBColor(120, 220, 255)
    private static let arrow = RGBColor(255, 190, 40), paper = RGBColor(20, 24, 28)

    static func draw(_ analysis: FaceAnalysis, on image: RGBImage) -> RGBImage {
        var canvas = Canvas(image)
        // Scales lines and letters with the picture.
        let unit = max(1, Double(max(image.width, image.height)) / 800)
        for face in analysis.faces.dropFirst() { canvas.rectangle(face.box, other, width: unit) }
        guard let face = analysis.main else {
            caption(["no face"], on: &canvas, unit: unit)
            return canvas.image
        }
        canvas.rectangle(face.detection.box, box, width: 2 * unit)
        drawMesh(face.mesh, on: &canvas, unit: unit)
        drawPose(face, on: &canvas, unit: unit)
        let pose = face.pose
        caption(
            [
                "quality \(face.quality.score)"
                    + (analysis.faces.count > 1 ? ", \(analysis.faces.count) faces" : ""),
                "yaw \(Int(pose.yaw.rounded()))° pitch \(Int(pose.pitch.rounded()))° roll \(Int(pose.roll.rounded()))°",
            ] + face.quality.reasons().map(\.rawValue), on: &canvas, unit: unit)
        return canvas.image
    }

    private static func drawMesh(_ mesh: FaceMesh, on canvas: inout Canvas, unit: Double) {
        for point in mesh.points { canvas.dot(point, radius: 0.8 * unit, Self.mesh, opacity: 0.6) }
        for contour in FaceMesh.features + [FaceMesh.outline + [FaceMesh.outline[0]]] {
            canvas.polyline(contour.map { mesh.points[$0] }, Self.mesh, width: unit, opacity: 0.9)
        }
    }

    /// Draws a line from the nose tip in the direction of the head. It is longer the more the head
    /// is turned, and very short for a frontal face.
    private static func drawPose(_ face: AnalyzedFace, on canvas: inout Canvas, unit: Double) {
        let radians = Double.pi / 180, length = 1.5 * face.mesh.eyeDistance
        let nose = face.mesh.points[FaceMesh.Landmark.noseTip]
        let way = Point(
            x: sin(Double(face.pose.yaw) * radians) * cos(Double(face.pose.pitch) * radians)
                * length,
            y: -sin(Double(face.pose.pitch) * radians) * length)
        canvas.arrow(from: nose, to: nose + way, arrow, width: 2.5 * unit)
    }

    private static func caption(_ lines: [String], on canvas: inout Canvas, unit: Double) {
        let scale = max(1, Int((1.6 * unit).rounded()))
        for (i, line) in lines.enumerated() {
            canvas.text(
                line, x: 4 * scale, y: (4 + i * (Canvas.cellHeight + 3)) * scale, .white,
                scale: scale, background: paper, backgroundOpacity: 0.75)
        }
    }
}
