import MienFace
import MienPixels

enum Annotation {
    static func draw(_ analysis: FaceAnalysis, on image: RGBImage) -> RGBImage { image }
}
