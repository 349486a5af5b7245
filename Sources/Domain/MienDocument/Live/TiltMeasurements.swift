/// Measurements of a series of pictures of one document that was tilted in front of the camera.
public struct TiltMeasurements: Sendable, Hashable {
    /// The number of pictures that show the document as a whole.
    public var frames: Int
    /// The greatest angle between the document's directions in two pictures, in degrees.
    public var tilt: Double
    /// How like the print is to that of the document's own picture, −1…1: the correlation that three
    /// quarters of its parts exceed. `nil` without such a picture.
    public var likeness: Double?
    /// The share of the document on which light is added in a picture, compared with most of the
    /// others, 0…1: the second largest of all pictures, because one alone can be a mistake. Light
    /// that changes with the print's brightness, such as a shadow's, does not count.
    public var reflections: Double

    public init(frames: Int, tilt: Double = 0, likeness: Double? = nil, reflections: Double = 0) {
        (self.frames, self.tilt) = (frames, tilt)
        (self.likeness, self.reflections) = (likeness, reflections)
    }
}
