/// A camera of this computer.
public struct Camera: Sendable, Hashable {
    /// The system's name for the camera: "Integrated Camera: Front". Two cameras may have the same
    /// name.
    public let name: String

    /// The path of its device: "/dev/video0".
    public let path: String

    /// Whether a program can be the origin of its pictures (``CameraReport/isVirtual``).
    public let isVirtual: Bool

    public init(name: String, path: String, isVirtual: Bool = false) {
        (self.name, self.path, self.isVirtual) = (name, path, isVirtual)
    }

    /// Chooses a camera.
    ///
    /// - Parameters:
    ///   - name: A camera's name, in any letter case, or the path of its device. Without a name,
    ///     chooses the first camera whose name contains "front", or else the first camera; a virtual
    ///     one only if there is no other.
    /// - Throws: ``MediaError`` `.noCamera`; `.unknownCamera`, which lists the available names.
    public static func choose(from cameras: [Camera], named name: String? = nil) throws(MediaError)
        -> Camera
    {
        guard let first = cameras.first else {
            throw MediaError(
                .noCamera, "This computer has no camera. Connect one or use a video file.")
        }
        guard let name else {
            let real = cameras.filter { !$0.isVirtual }
            return real.first { $0.name.lowercased().contains("front") } ?? real.first ?? first
        }
        guard
            let named = cameras.first(where: {
                $0.path == name || $0.name.lowercased() == name.lowercased()
            })
        else {
            let all = cameras.map { "“\($0.name)” (\($0.path))" }.joined(separator: ", ")
            throw MediaError(
                .unknownCamera,
                "There is no camera “\(name)”. Choose from: \(all).")
        }
        return named
    }
}
